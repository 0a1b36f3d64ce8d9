import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// If Apple refuses a promoted key, the previous key is used and becomes current again.
@Suite("Restore Apple key")
struct RestoreAppleKeyTests {
    /// Promotes a new key of Acme, and makes Apple revoke it.
    private func promoteAndRevoke(_ platform: TestPlatform, overlap: Int = 600) async throws -> (connection: String, newKey: String) {
        let connection = try await platform.acmeConnection
        let key = try await platform.simulator.makeKey(of: platform.own.team)
        let added = try await platform.change(
            "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
        let promoted = try await platform.change(
            "POST", "\(connection)/apple-keys/\(added.resourceID)/promote", of: connection, ["overlap_seconds": overlap])
        #expect(promoted.status == 200, "\(promoted.body)")
        // The sign-in has received and used the new key before the key is revoked.
        try await eventually("the new key signs") {
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
            await platform.installation.lastUsed.flush()
            let keys = try await platform.call("GET", connection).appleKeys
            return keys.contains { $0["key_id"] as? String == key.id && $0["last_used_at"] != nil }
        }
        try await platform.simulator.revokeKey(key.id)
        return (connection, key.id)
    }

    @Test("the login that gets the refusal succeeds, and the old key is current again; concurrent logins restore it once")
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
            let reported = try await platform.reportedFailures
            #expect(reported.count == 1)
            #expect(reported.first?.contains("apple_key_refused") == true)
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
        }
    }

    @Test("the shared connection's key is restored in the same way as a tenant's own")
    func shared() async throws {
        try await TestPlatform.run { platform in
            let path = "/platform/connection"
            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            let added = try await platform.change("POST", "\(path)/apple-keys", of: path, ["key_id": key.id, "private_key": key.pem])
            #expect(try await platform.change("POST", "\(path)/apple-keys/\(added.resourceID)/promote", of: path).status == 200)
            try await platform.simulator.revokeKey(key.id)
            try await eventually("a login that signs with the new key gets the refusal") {
                _ = try await TestBrowser(platform).tokens(.init(platform.globex))
                return try await platform.call("GET", path).keyStates == ["next \(key.id)", "current \(platform.shared.keyID)"]
            }
            #expect(try await platform.auditTrail(of: "restoreAppleKey").map(\.actor) == ["system"])
        }
    }

    @Test("after the overlap, or if Apple refuses the previous key too, there is no fallback")
    func over() async throws {
        try await TestPlatform.run { platform in
            let (connection, newKey) = try await promoteAndRevoke(platform)
            let request = TestBrowser.Request(platform.acme)
            let states: Set = ["current \(newKey)", "previous \(platform.own.keyID)"]
            try await platform.simulator.revokeKey(platform.own.keyID)
            #expect(try await TestBrowser(platform).signIn(request).reports(request, "server_error"))
            #expect(try await platform.call("GET", connection).keyStates == states)
            _ = try await platform.ownerPool.run("UPDATE apple_key SET usable_until = now() WHERE state = 'previous'")
            #expect(try await TestBrowser(platform).signIn(request).reports(request, "server_error"))
            #expect(try await platform.call("GET", connection).keyStates == states)
            #expect(try await platform.auditTrail(of: "restoreAppleKey").isEmpty)
        }
    }

    @Test("a process that does not know the new key yet finds it when Apple refuses the old one")
    func notNotified() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            _ = try await browser.tokens(request)
            // The disabled trigger sends no notification of the change.
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

    @Test("only a refusal of the client starts the fallback; a refused code does not")
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
            #expect(try await TestBrowser(platform).signIn(request).reports(request, "server_error"))
            #expect(try await platform.call("GET", connection).keyStates == ["current \(key.id)", "previous \(platform.own.keyID)"])
        }
    }
}
