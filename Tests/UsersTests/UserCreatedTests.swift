import Access
import Delivery
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// The webhook event of a new user.
@Suite("User created")
struct UserCreatedTests {
    @Test("one event at the first sign-in, with IDs only")
    func once() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let login = try await platform.login("Grace Hopper")
            _ = try await platform.login("Grace Hopper")
            _ = try await platform.login("Grace Hopper", platform.globex)
            let events = try await platform.events("user.created")
            #expect(events.count == 1)
            #expect(events.first?["user_id"] as? String == login.user)
            #expect(events.first?["application_id"] as? String == login.request.application.client_id)
            #expect(events.first?.count == 2)
            #expect(try await platform.count("webhook_delivery") == 1)
            #expect(try await platform.count("outbox", where: "kind = 'webhook'") <= 1)
        }
    }

    @Test("without a subscribed webhook, nothing is written")
    func nobodyAsked() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            _ = try await platform.ownerPool.run("UPDATE webhook_endpoint SET events = '{user.deleted}'")
            _ = try await platform.login()
            _ = try await platform.ownerPool.run("UPDATE webhook_endpoint SET events = '{user.created}', status = 'disabled'")
            _ = try await platform.login()
            #expect(try await platform.count("webhook_event") == 0)
        }
    }

    @Test("the same event emitted twice is delivered once")
    func twice() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            let statement = try WebhookEvent.emit(.userCreated, data: ["user_id": "x"], owner: tenant.uuid, at: Date())
            let database = OwnerDatabase(platform.pool, tenant: tenant)
            for _ in 0..<2 { _ = try await database.run(statement) }
            #expect(try await platform.count("webhook_event") == 1)
            #expect(try await platform.count("webhook_delivery") == 1)
        }
    }

    @Test("the database writes IDs in the same form as Espalier")
    func ids() async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.make().serverURL)
        for uuid in [UUID(), UUID(), ID<User>(at: Date()).uuid, UUID.platform, UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")!] {
            let text = try await pool.run("SELECT public_id('user', \(uuid)) AS id").first { try $0.get("id", as: String.self) }
            #expect(text == ID<User>(uuid).description)
        }
    }
}
