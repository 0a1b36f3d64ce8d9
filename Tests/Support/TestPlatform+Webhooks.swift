import Access
import Delivery
import Foundation
import Postgres
package import Server

extension TestPlatform {
    /// Registers a webhook for all events. Nothing listens there.
    package func subscribe(_ tenant: SeedResult.TenantResult) async throws {
        let events = WebhookEvent.Kind.allCases.map(\.rawValue)
        let now = Date()
        _ = try await ownerPool.run(
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, status, created_at, updated_at)
            VALUES (\(ID<Tenant>(tenant.id)), \(UUID()), 'https://hooks.invalid/', \(events), 'enabled', \(now), \(now))
            """)
    }

    /// The data of the emitted events of a kind, in order.
    package func events(_ kind: String) async throws -> [[String: any Sendable]] {
        try await ownerPool.run("SELECT data FROM webhook_event WHERE type = \(kind) ORDER BY id").map { row in
            try Self.object(try row.get("data", as: JSON.self))
        }
    }

    /// The actors of the emitted events of a kind, in order.
    package func webhookActors(_ kind: String) async throws -> [String?] {
        try await ownerPool.run("SELECT actor->>'id' AS actor FROM webhook_event WHERE type = \(kind) ORDER BY id").map { row in
            try row.get("actor")
        }
    }

    package struct Audited {
        package let actor, subject: String
        package let before, after: [String: any Sendable]
        /// The whole row as text.
        package let text: String
    }

    package func audited(_ action: String) async throws -> [Audited] {
        try await ownerPool.run(
            "SELECT actor, subject, before, after, audit_event::text AS text FROM audit_event WHERE action = \(action) ORDER BY sequence"
        ).map { row in
            Audited(
                actor: try row.get("actor"), subject: try row.get("subject"),
                before: try row.get("before", as: JSON?.self).map(Self.object) ?? [:],
                after: try row.get("after", as: JSON?.self).map(Self.object) ?? [:], text: try row.get("text"))
        }
    }

    private static func object(_ json: JSON) throws -> [String: any Sendable] {
        try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: any Sendable] ?? [:]
    }

    /// A complete login and its result.
    package func login(_ person: String = "new", _ tenant: SeedResult.TenantResult? = nil, application: Int = 0) async throws -> LoggedIn {
        let (browser, request) = (TestBrowser(self), TestBrowser.Request(tenant ?? acme, application: application))
        let tokens = try await browser.tokens(request, person: person)
        let claims = try claims(of: tokens["access_token"] as? String)
        return LoggedIn(
            browser: browser, request: request, user: claims["sub"] as? String ?? "", session: claims["sid"] as? String ?? "",
            access: tokens["access_token"] as? String ?? "", refresh: tokens["refresh_token"] as? String ?? "",
            idToken: tokens["id_token"] as? String ?? "")
    }

    /// Deletes the user with the user's own token.
    package func deleteOwnUser(
        _ token: String?, of tenant: SeedResult.TenantResult, scheme: String = "Bearer", headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        let headers = headers + (token.map { [("Authorization", "\(scheme) \($0)")] } ?? [])
        return try await TestBrowser(self).send("DELETE", "\(tenant.issuer)/users/me", headers: headers, body: nil)
    }

    package struct LoggedIn: Sendable {
        package let browser: TestBrowser
        package let request: TestBrowser.Request
        package let user, session, access, refresh, idToken: String

        /// Whether neither token is valid any longer.
        package func isOver() async throws -> Bool {
            let refreshed = try await browser.refresh(refresh, request)
            let reported = try await browser.userInfo(access, of: request.tenant)
            return refreshed.isOAuthError(400, "invalid_grant") && reported.isOAuthError(401, "invalid_token")
        }

        package func lasts() async throws -> Bool {
            try await browser.userInfo(access, of: request.tenant).status == 200
        }
    }
}

extension TestBrowser.Answer {
    /// The elements of a list.
    package var data: [[String: any Sendable]] { json["data"] as? [[String: any Sendable]] ?? [] }
    package var ids: [String] { data.compactMap { $0["id"] as? String } }

    /// A cursor of a list.
    package func cursor(_ name: String) -> String? { (json["list_metadata"] as? [String: any Sendable])?[name] as? String }

    package func isProblem(_ status: Int, _ code: String) -> Bool {
        self.status == status && string("code") == code && header("Content-Type") == "application/problem+json"
    }
}
