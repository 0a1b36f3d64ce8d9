import Access
package import Encoding
import Foundation
package import Hummingbird
import Sealing
package import Tenancy
package import Web

extension TenantEndpoints {
    /// Authenticates the calling application (RFC 6749, sections 2.3.1 and 3.2.1) by `client_secret_basic` or `client_secret_post`. A
    /// public application sends only its ID, in the form or in the header with an empty secret, as some libraries do. Only one method is
    /// allowed per request.
    package func authenticate(
        _ request: Request, _ form: Form, _ tenant: TenantConfiguration, _ context: WebContext
    ) throws(OAuthError) -> Application {
        let basic = try request.basicCredentials()
        let refused = OAuthError(.invalidClient, "The application is unknown, or its secret is wrong or missing.")
        if let basic {
            guard form["client_secret"] == nil else { throw OAuthError(.invalidRequest, "Authenticate by header or by form, not both.") }
            guard (form["client_id"] ?? basic.id).isSame(as: basic.id)
            else { throw OAuthError(.invalidRequest, "client_id differs from the Authorization header.") }
        }
        guard let name = basic?.id ?? form["client_id"], let id = ID<Application>(name), let application = tenant.applications[id]
        else { throw refused }
        switch (application.kind.isConfidential, basic?.secret ?? form["client_secret"]) {
        case (false, nil): return application
        case (true, let secret?):
            let now = now()
            let candidates = keyring.digests(Array(secret.utf8), purpose: ApplicationSecret.digestPurpose)
            let valid = application.secrets.filter { secret in secret.expiresAt.map { now < $0 } ?? true }
            let isAuthentic = valid.contains { keyring.authenticates(candidates, digest: $0.digest, $0.binding, at: now) }
            guard isAuthentic else { throw refused }
            context.record.noteAuthenticated()
            return application
        default: throw refused
        }
    }
}

extension Request {
    /// The client's ID and secret in the Authorization header (RFC 6749, section 2.3.1), or nil without one.
    func basicCredentials() throws(OAuthError) -> (id: String, secret: String?)? {
        guard let header = headers[.authorization] else { return nil }
        let malformed = OAuthError(.invalidClient, "The Authorization header is not valid Basic authentication.")
        let parts = header.parts(at: " ", atMost: 2)
        guard parts.count == 2, parts[0].asciiLowercased.isSame(as: "basic"), parts[1].utf8.count <= 4096,
            let decoded = Data(base64Encoded: String(parts[1])), let text = String(validating: decoded, as: UTF8.self)
        else { throw malformed }
        let halves = text.parts(at: ":", atMost: 2, includingEmpty: true)
        // Each part is form-encoded before both are joined.
        guard halves.count == 2, let id = Form.decode(String(halves[0])), let secret = Form.decode(String(halves[1]))
        else { throw malformed }
        return (id, secret.isEmpty ? nil : secret)
    }
}
