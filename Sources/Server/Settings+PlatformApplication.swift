import Access
import Configuration
import Tenancy

extension Settings {
    /// Reads the tenant and the application of the platform. One of them alone has no use.
    static func platformApplication(_ reader: ConfigReader) throws -> (tenant: String, clientID: String)? {
        let tenant = reader.string(forKey: "platform.tenant").flatMap { $0.isEmpty ? nil : $0 }
        let application = reader.string(forKey: "platform.application").flatMap { $0.isEmpty ? nil : $0 }
        guard tenant != nil || application != nil else { return nil }
        guard let tenant, let application
        else {
            throw Refusal(description: "ESPALIER_PLATFORM_TENANT and ESPALIER_PLATFORM_APPLICATION need each other. Set both, or none.")
        }
        guard Tenant.isSlug(tenant) else { throw Refusal(description: "ESPALIER_PLATFORM_TENANT must be the slug of a tenant.") }
        guard ID<Application>(application) != nil
        else { throw Refusal(description: "ESPALIER_PLATFORM_APPLICATION must be the ID of an application: app_ and 26 characters.") }
        return (tenant, application)
    }
}
