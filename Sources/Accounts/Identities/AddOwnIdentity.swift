import Access
import Foundation
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

private struct Reply: Encodable {
    let object = "identity_request"
    /// For the browser.
    let url: String
    let expires_at: Date
}

extension UserRoutes {
    /// Returns an address for the browser of the user of an access token. There, the person signs in with another Apple Account and
    /// confirms that it is added. The browser brings a result to the application, which stores it (`completeOwnIdentity`).
    @Sendable
    func addOwnIdentity(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            let now = now()
            let person = try await person(of: request, context, at: now)
            let tenant = person.tenant.tenant
            var fields = try await JSONFields(request)
            let redirectURI = fields.text("redirect_uri", 1...2000, isRequired: true) { uri in
                person.application.mayRedirect(to: uri) ? nil : "It must be one of the application's redirect URIs."
            }
            // In bytes, because the sign-in carries both in Apple's URL.
            let state = fields.text("state", 1...512) { $0.utf8.count <= 512 ? nil : "It must have at most 512 bytes." }
            try await tokens.spent.refuse(person.use, by: person.sender, at: now) {
                try await requireActive(person, isRecent: true, in: OwnerDatabase(pool, tenant: tenant.id), at: now)
                // Only for an active session, because each proof takes a row.
                try await tokens.use(person.proof, of: tenant, at: now)
            }
            try fields.finish()
            guard let redirectURI else { throw Problem(.invalid, "`redirect_uri` is required.") }
            let ticket = IdentityTicket(of: IdentityRequester(person), redirectURI: redirectURI, state: state, at: now)
            let url = "\(endpoints.issuer(tenant))/oauth2/identities?ticket=\(ticket.sealed(with: endpoints.keyring))"
            return try .json(Reply(url: url, expires_at: now + IdentityTicket.lifetime), status: .created)
        }
    }
}
