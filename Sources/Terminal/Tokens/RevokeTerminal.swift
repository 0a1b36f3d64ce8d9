import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import People
import Postgres
import Sealing
import Sessions
import Web

extension TerminalRoutes {
    /// Ends the session of a terminal (RFC 7009). The token is the only proof. A token without a session is not
    /// an error (section 2.2).
    @Sendable
    func revokeTerminal(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await grant.form(request, context)
        guard let token = form["token"] else { throw OAuthError(.invalidRequest, "token is missing.") }
        guard let digests = PersonSession.digests(of: token, with: grant.keyring) else { return .revoked }
        let now = grant.now()
        try await grant.reportingOutage(context) {
            // A made-up token costs the address as much as one at the REST API.
            let session = try await grant.limits.lookUp(digests[0].base64URL, context.record) {
                try await grant.database.repeatable.run(PersonSession.find(digests: digests)).first(PersonSession.init)
            }
            // The cookie of a browser is not a token.
            guard let session, session.kind == .terminal, session.authenticates(digests, with: grant.keyring, at: now) else { return }
            try await grant.database.transaction { db in
                guard try await db.run(PersonSession.end(session.id, of: session.person, .signOut, at: now)).affected > 0 else { return }
                _ = try await db.run(
                    AuditEvent.insert(
                        "revokeTerminal", of: session.person.description, owner: .platform,
                        by: .terminal(session.id, of: session.person, context), after: ["session": session.id], at: now))
            }
        }
        return .revoked
    }
}

extension Response {
    /// The same for a token that was revoked and for one that belongs to no session.
    fileprivate static var revoked: Response {
        Response(status: .ok, headers: [.cacheControl: "no-store", .pragma: "no-cache", .contentLength: "0"])
    }
}
