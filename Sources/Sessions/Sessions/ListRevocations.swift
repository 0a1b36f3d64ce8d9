import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Tenancy
import Web

private struct Reply: Encodable {
    struct Metadata: Encodable {
        let after: String
    }

    let object = "list"
    let data: [Revocations.Entry]
    let has_more: Bool
    let list_metadata: Metadata
}

extension TokenRoutes {
    /// Lists the ended sessions, and the users whose tokens all ended. Resource servers need the list because access tokens outlive their
    /// sessions. It is for applications with a secret. One of kind `machine` receives every session of the tenant. Any other receives only
    /// its own sessions, one by one. An application with `private_key_jwt` cannot read it, because an assertion must not be in a URL
    /// (RFC 6749, section 2.3.1; RFC 7523, section 2.2), and a GET has no body.
    ///
    /// Each entry is delivered at least once. A concurrent write can become visible after a later write. So the cursor at the end of a list
    /// points one minute back, and entries of that minute are repeated.
    @Sendable
    func listRevocations(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.reportingOutage(context, { try await endpoints.tenant(context) }) else {
            throw Problem.notFound("tenant")
        }
        let named = try request.basicCredentials().flatMap { ID<Application>($0.id) }.flatMap { tenant.applications[$0] }
        guard named?.authMethod != .privateKey else {
            throw OAuthError(
                .invalidClient, "This feed accepts only a secret. Register an application of kind machine with a secret for it.",
                challenge: "Basic")
        }
        let application = try await endpoints.authenticate(request, Form(""), tenant, context)
        guard application.kind.isConfidential
        else { throw OAuthError(.invalidClient, "Authenticate as an application with a secret.", challenge: "Basic") }
        let query = try Query(request, "after", "limit")
        let limit = try query.integer("limit", 1...Revocations.largest) ?? Revocations.largest
        let after = try query.text("after").map { text in
            guard let cursor = Revocations.Cursor(text)
            else { throw Problem.invalid(.init("after", "It must be a cursor from `list_metadata` of a response.")) }
            return cursor
        }
        let (clock, revocations) = try await endpoints.reportingOutage(context) {
            try await OwnerDatabase(pool, tenant: tenant.tenant.id).run(
                Revocations.clock,
                Revocations.page(
                    after: after ?? Revocations.beginning(at: endpoints.now()), of: tenant.tenant.id, for: application, limit: limit))
        }
        let entries = try revocations.map(Revocations.Entry.init)
        let resume = try after?.resume ?? clock[0].get("now", as: Date.self).addingTimeInterval(-Revocations.overlap)
        let hasMore = entries.count == limit
        let next = hasMore ? entries.last.map { Revocations.Cursor(after: $0, resume: resume) } : nil
        return try .json(
            Reply(data: entries, has_more: hasMore, list_metadata: .init(after: (next ?? Revocations.Cursor(at: resume)).text)))
    }
}
