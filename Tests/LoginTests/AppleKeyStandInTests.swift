import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// A key that Apple refuses after its promotion: the one before stands in, and comes back.
@Suite("Apple key stand-in")
struct AppleKeyStandInTests {
    /// Promotes a new key of Acme's, and has Apple revoke it.
    private func promoteAndRevoke(_ platform: TestPlatform, overlap: Int = 600) async throws -> (connection: String, newKey: String) {
        let connection = try await platform.acmeConnection
        let key = try await platform.simulator.makeKey(of: platform.own.team)
        let added = try await platform.change(
            "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
        let promoted = try await platform.change(
            "POST", "\(connection)/apple-keys/\(added.resourceID)/promote", of: connection, ["overlap_seconds": overlap])
        #expect(promoted.status == 200, "\(promoted.body)")
        // The sign-in has heard of the new one, and used it, before it is taken away.
        try await eventually("the new key signs") {
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
            await platform.installation.lastUsed.flush()
            let keys = try await platform.call("GET", connection).appleKeys
            return keys.contains { $0["key_id"] as? String == key.id && $0["last_used_at"] != nil }
        }
        try await platform.simulator.revokeKey(key.id)
        return (connection, key.id)
    }

    @Test("the login that meets the refusal succeeds, and the old key is current again; many that meet it together do it once")
    func restored() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribeAcme()
            let (connection, newKey) = try await promoteAndRevoke(platform)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 { tasks.addTask { _ = try await TestBrowser(platform).tokens(.init(platform.acme)) } }
                try await tasks.waitForAll()
            }
            let after = try await platform.call("GET", connection)
            #expect(after.keyStates == ["next \(newKey)", "current \(platform.own.keyID)"])
            let events = try await platform.auditTrail(of: "restoreAppleKey")
            #expect(events.map(\.actor) == ["system"])
            #expect(!events[0].text.contains("PRIVATE"))
            let told = try await platform.failuresTold
            #expect(told.count == 1)
            #expect(told.first?.contains("apple_key_refused") == true)
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
        }
    }

    @Test("the shared connection's key comes back as a tenant's own does")
    func shared() async throws {
        try await TestPlatform.run { platform in
            let path = "/platform/connection"
            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            let added = try await platform.change("POST", "\(path)/apple-keys", of: path, ["key_id": key.id, "private_key": key.pem])
            #expect(try await platform.change("POST", "\(path)/apple-keys/\(added.resourceID)/promote", of: path).status == 200)
            try await platform.simulator.revokeKey(key.id)
            try await eventually("a login that signs with the new key meets the refusal") {
                _ = try await TestBrowser(platform).tokens(.init(platform.globex))
                return try await platform.call("GET", path).keyStates == ["next \(key.id)", "current \(platform.shared.keyID)"]
            }
            #expect(try await platform.auditTrail(of: "restoreAppleKey").map(\.actor) == ["system"])
        }
    }

    @Test("when its time is over, or Apple refuses it too, nothing stands in")
    func over() async throws {
        try await TestPlatform.run { platform in
            let (connection, newKey) = try await promoteAndRevoke(platform)
            let request = TestBrowser.Request(platform.acme)
            let states: Set = ["current \(newKey)", "previous \(platform.own.keyID)"]
            try await platform.simulator.revokeKey(platform.own.keyID)
            #expect(try await TestBrowser(platform).signIn(request).tells(request, "server_error"))
            #expect(try await platform.call("GET", connection).keyStates == states)
            _ = try await platform.ownerPool.run("UPDATE apple_key SET usable_until = now() WHERE state = 'previous'")
            #expect(try await TestBrowser(platform).signIn(request).tells(request, "server_error"))
            #expect(try await platform.call("GET", connection).keyStates == states)
            #expect(try await platform.auditTrail(of: "restoreAppleKey").isEmpty)
        }
    }

    @Test("a process that has not heard of the new key yet, and is refused with the old one, finds it")
    func unheard() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            _ = try await browser.tokens(request)
            // Nobody is told of what changes behind the trigger's back.
            _ = try await platform.ownerPool.run("ALTER TABLE apple_key DISABLE TRIGGER configuration_changed")
            let connection = try await platform.acmeConnection
            let key = try await platform.simulator.makeKey(of: platform.own.team)
            let added = try await platform.change(
                "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
            let promote = "\(connection)/apple-keys/\(added.resourceID)/promote"
            #expect(try await platform.change("POST", promote, of: connection, ["overlap_seconds": 0]).status == 200)
            try await platform.simulator.revokeKey(platform.own.keyID)
            _ = try await browser.tokens(request)
            #expect(try await platform.call("GET", connection).keyStates == ["current \(key.id)", "retired \(platform.own.keyID)"])
        }
    }

    @Test("only a refusal of the client brings it on: a code that Apple refuses does not")
    func otherRefusal() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let key = try await platform.simulator.makeKey(of: platform.own.team)
            let added = try await platform.change(
                "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
            #expect(try await platform.change("POST", "\(connection)/apple-keys/\(added.resourceID)/promote", of: connection).status == 200)
            let request = TestBrowser.Request(platform.acme)
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "error", "error": "invalid_grant", "client_id": platform.own.servicesID, "times": 1,
            ])
            #expect(try await TestBrowser(platform).signIn(request).tells(request, "server_error"))
            #expect(try await platform.call("GET", connection).keyStates == ["current \(key.id)", "previous \(platform.own.keyID)"])
        }
    }
}
