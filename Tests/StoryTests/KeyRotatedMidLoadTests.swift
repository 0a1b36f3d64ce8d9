import Foundation
import Postgres
import Server
import Synchronization
import TestSupport
import Testing

/// A rotation causes no outage. People sign in all the time, and none of them is affected.
@Suite("Key rotated mid load")
struct KeyRotatedMidLoadTests {
    /// Adds a key from Apple, and promotes it with an overlap.
    private func rotate(_ platform: TestPlatform, _ connection: String, _ load: Load) async throws -> String {
        let key = try await platform.simulator.makeKey(of: platform.own.team)
        let added = try await platform.change(
            "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
        #expect(added.status == 201, "\(added.body)")
        try await load.more()
        let promoted = try await platform.change(
            "POST", "\(connection)/apple-keys/\(added.resourceID)/promote", of: connection, ["overlap_seconds": 600])
        #expect(promoted.status == 200, "\(promoted.body)")
        return key.id
    }

    @Test("a key is added and promoted, its predecessor removed at Apple and retired here: no login is lost")
    func rotated() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let old = try await platform.call("GET", connection).appleKeys[0]["id"] as? String ?? ""
            try await Load.run(platform) { load in
                let new = try await rotate(platform, connection, load)
                // Immediately, while logins with the old key are in progress.
                try await platform.simulator.revokeKey(platform.own.keyID)
                try await load.more()
                let retired = try await platform.change("POST", "\(connection)/apple-keys/\(old)/retire", of: connection)
                #expect(retired.status == 200, "\(retired.body)")
                try await load.more()
                #expect(try await platform.call("GET", connection).keyStates == ["current \(new)", "retired \(platform.own.keyID)"])
            }
            #expect(try await platform.auditTrail(of: "restoreAppleKey").isEmpty)
        }
    }

    @Test("the promoted key is revoked at Apple within the overlap: no login is lost, and the old key signs again automatically")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            try await platform.subscribeAcme()
            try await Load.run(platform) { load in
                let new = try await rotate(platform, connection, load)
                try await load.more()
                try await platform.simulator.revokeKey(new)
                try await load.more()
                try await eventually("the old key signs again") {
                    try await platform.call("GET", connection).keyStates == ["next \(new)", "current \(platform.own.keyID)"]
                }
                try await load.more()
            }
            #expect(try await platform.auditTrail(of: "restoreAppleKey").map(\.actor) == ["system"])
            #expect(try await platform.reportedFailures.count == 1)
        }
    }
}

/// People who sign in at Acme, one after the other, four at a time.
private final class Load: Sendable {
    private struct State {
        var isOpen = true
        var logins = 0
        var losses: [String] = []
    }

    private static let width = 4
    /// The condition of `more`: some logins start and end after it was called.
    private static let some = 12

    private let state = Mutex(State())

    /// Runs the body with the load, and expects tokens and a usage event for every login.
    static func run(_ platform: TestPlatform, _ body: (Load) async throws -> Void) async throws {
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<width {
                tasks.addTask { await load.signIn(.init(platform.acme, application: number % 2), platform) }
            }
            try await load.more()
            do { try await body(load) } catch {
                load.state.withLock { $0.isOpen = false }
                throw error
            }
            load.state.withLock { $0.isOpen = false }
            try await tasks.waitForAll()
        }
        let (logins, losses) = load.state.withLock { ($0.logins, $0.losses) }
        #expect(losses.isEmpty)
        #expect(try await platform.countBilled() == logins)
    }

    private func signIn(_ request: TestBrowser.Request, _ platform: TestPlatform) async {
        while state.withLock({ $0.isOpen }), !Task.isCancelled {
            var request = request
            (request.state, request.nonce, request.verifier) = (
                TestBrowser.randomText(), TestBrowser.randomText(), TestBrowser.randomText()
            )
            do {
                _ = try await TestBrowser(platform).tokens(request)
                state.withLock { $0.logins += 1 }
            } catch {
                state.withLock { $0.losses.append("\(error)") }
            }
        }
    }

    /// Returns when some more people have signed in, or a login has failed.
    func more() async throws {
        let before = state.withLock { $0.logins }
        try await eventually("more logins", within: .seconds(60)) {
            state.withLock { $0.logins >= before + Self.some || !$0.losses.isEmpty }
        }
    }
}
