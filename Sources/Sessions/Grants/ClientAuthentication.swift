import Access
import ClientKeys
package import Encoding
import Foundation
package import Hummingbird
import Sealing
package import Tenancy
package import Web

extension TenantEndpoints {
    /// Authenticates the calling application (RFC 6749, sections 2.3.1 and 3.2.1) by `client_secret_basic`, `client_secret_post` or
    /// `private_key_jwt`. A public application sends only its ID, in the form or in the header with an empty secret, as some libraries do.
    /// Only one method is allowed per request.
    package func authenticate(
        _ request: Request, _ form: Form, _ tenant: TenantConfiguration, _ context: WebContext
    ) async throws -> Application {
        if form["client_assertion"] != nil || form["client_assertion_type"] != nil {
            return try await authenticateByAssertion(request, form, tenant, context)
        }
        let basic = try request.basicCredentials()
        let refused = OAuthError(.invalidClient, "The application is unknown, or its secret is wrong or missing.")
        if let basic {
            guard form["client_secret"] == nil else { throw OAuthError(.invalidRequest, "Authenticate by header or by form, not both.") }
            guard (form["client_id"] ?? basic.id).isSame(as: basic.id)
            else { throw OAuthError(.invalidRequest, "client_id differs from the Authorization header.") }
        }
        guard let name = basic?.id ?? form["client_id"], let id = ID<Application>(name), let application = tenant.applications[id]
        else { throw refused }
        guard application.authMethod != .privateKey else {
            throw OAuthError(.invalidClient, "The application authenticates by private_key_jwt. Send client_assertion in the form.")
        }
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

    /// Authenticates the application by a JWT that it signed with its own key (RFC 7523, section 2.2).
    private func authenticateByAssertion(
        _ request: Request, _ form: Form, _ tenant: TenantConfiguration, _ context: WebContext
    ) async throws -> Application {
        guard form["client_assertion_type"]?.isSame(as: ClientAssertion.type) == true, let text = form["client_assertion"]
        else { throw OAuthError(.invalidRequest, "Send client_assertion with client_assertion_type \(ClientAssertion.type).") }
        guard request.headers[.authorization] == nil, form["client_secret"] == nil
        else { throw OAuthError(.invalidRequest, "Authenticate by client_assertion alone, without a secret or an Authorization header.") }
        let refused = OAuthError(
            .invalidClient, "The application is unknown, or client_assertion is invalid. Its iss and sub must be the client_id.")
        // RFC 7521, section 4.2: client_id is optional, and the assertion names the application.
        guard let client = form["client_id"] ?? ClientAssertion.client(of: text), let id = ID<Application>(client),
            let application = tenant.applications[id]
        else { throw refused }
        guard application.authMethod == .privateKey,
            let keys = application.keys.map(ClientAssertions.Keys.registered)
                ?? application.jwksURI.map(ClientAssertions.Keys.published)
        else { throw OAuthError(.invalidClient, "The application does not authenticate by private_key_jwt.") }

        let (now, issuer) = (now(), issuer(tenant.tenant))
        do {
            let assertion = try ClientAssertion(
                text, of: id.description, for: [issuer, "\(issuer)/oauth2/token", origin(context) + request.uri.path], at: now)
            try await assertions.use(assertion, of: id.description, tenant.tenant.id, keys: keys, at: now)
        } catch let refusal as ClientAssertion.Refusal {
            throw OAuthError(refusal)
        }
        context.record.noteAuthenticated()
        return application
    }
}

extension OAuthError {
    fileprivate init(_ refusal: ClientAssertion.Refusal) {
        switch refusal {
        case .keysUnavailable: self.init(.temporarilyUnavailable, refusal.description)
        default: self.init(.invalidClient, refusal.description)
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
