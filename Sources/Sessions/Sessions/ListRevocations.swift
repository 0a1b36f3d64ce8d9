import Access
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
    /// What a resource server has to hear of, since access tokens outlive their sessions: sessions that ended, and users whose tokens
    /// ended all together. For applications with a secret: one of kind `machine` hears of every session of the tenant, any other of
    /// its own sessions, each by itself.
    ///
    /// Told at least once and never left out. What is written while somebody reads can become visible after what was written later;
    /// so the cursor at the end of a list stands a minute back, and what was recorded in that minute is told again.
    @Sendable
    func listRevocations(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.outageTold(context, { try await endpoints.tenant(context) }) else { throw Problem.notFound("tenant") }
        let application = try endpoints.authenticate(request, Form(""), tenant, context)
        guard application.kind.isConfidential
        else { throw OAuthError(.invalidClient, "Authenticate as an application that has a secret.", challenge: "Basic") }
        let query = try Query(request, "after", "limit")
        let limit = try query.integer("limit", 1...Revocations.largest) ?? Revocations.largest
        let after = try query.text("after").map { text in
            guard let cursor = Revocations.Cursor(text)
            else { throw Problem.invalid(.init("after", "This is no cursor of ours: take it from `list_metadata` of an answer.")) }
            return cursor
        }
        let found = try await endpoints.outageTold(context) {
            try await OwnerDatabase(pool, tenant: tenant.tenant.id).run([
                Revocations.clock,
                Revocations.page(after: after ?? Revocations.beginning(at: endpoints.now()), of: tenant.tenant.id, for: application, limit: limit),
            ])
        }
        let entries = try found[1].map(Revocations.Entry.init)
        let resume = try after?.resume ?? found[0][0].get("now", as: Date.self).addingTimeInterval(-Revocations.overlap)
        let hasMore = entries.count == limit
        let next = hasMore ? entries.last.map { Revocations.Cursor(after: $0, resume: resume) } : nil
        return try .json(
            Reply(data: entries, has_more: hasMore, list_metadata: .init(after: (next ?? Revocations.Cursor(at: resume)).text)))
    }
}
