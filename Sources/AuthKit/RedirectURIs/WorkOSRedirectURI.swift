import Access
import Crypto
import Foundation
import Tenancy

/// A redirect URI of an application in WorkOS's interface. Its ID is `redirect_uri_`, the 26 characters of the application, and 26
/// characters of the URI's digest.
struct WorkOSRedirectURI: Encodable, Sendable {
    private static let prefix = "redirect_uri_"

    let object = "redirect_uri"
    let id, uri: String
    /// Each request names its redirect URI, so none is the default.
    let `default` = false
    /// The times of the application.
    let created_at, updated_at: Date

    init(_ uri: String, of application: Application) {
        id = Self.id(uri, of: application.id)
        (self.uri, created_at, updated_at) = (uri, application.createdAt, application.updatedAt)
    }

    static func id(_ uri: String, of application: ID<Application>) -> String {
        let digest = Array(SHA256.hash(data: Data(uri.utf8)).prefix(16))
        let short = digest.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        return "\(prefix)\(WorkOSID.digits(application))\(WorkOSID.digits(ID<Application>(short)))"
    }
}
