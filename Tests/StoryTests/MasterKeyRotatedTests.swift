import Foundation
import Postgres
import Server
import Synchronization
import TestSupport
import Testing

/// A rotation of the master key ends nothing. The test runs the steps of docs/master-keys.md while people sign in and programs
/// call.
@Suite("Master key rotated")
struct MasterKeyRotatedTests {
    @Test("under load the master key is replaced and dropped: no API key, client secret, session or Apple key is lost")
    func rotated() async throws {
        let platform = try await ServedPlatform.make()
        let owner = try TestDatabase.pool(platform.ownerURL)
        let old = platform.environment["ESPALIER_MASTER_KEYS"]!
        let new = try await Program.run(["generate-master-key"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        func command(_ words: [String], keys: [String]) async throws -> Program.Exit {
            try await Program.run(
                ["master-keys"] + words,
                environment: [
                    "ESPALIER_MIGRATION_DATABASE_URL": platform.ownerURL, "ESPALIER_MASTER_KEYS": keys.joined(separator: ","),
                ])
        }
        func status(keys: [String]) async throws -> [[String: Any]] {
            let exit = try await command(["status", "--json"], keys: keys)
            #expect(exit.code == 0, "\(exit.output) \(exit.errors)")
            let json = try JSONSerialization.jsonObject(with: Data(exit.output.utf8)) as? [String: Any]
            return try #require(json?["keys"] as? [[String: Any]])
        }
        let oldID = try #require(try await status(keys: [old])[0]["id"] as? String)

        let servers = try await Servers(platform, keys: [old])
        let request = TestBrowser.Request(platform.acme)
        var refreshToken = try #require(
            try await servers.places[0].browser.tokens(request)["refresh_token"] as? String)
        // The first tokens and keys are still valid at every server.
        func check() async throws {
            for place in servers.places {
                let refreshed = try await place.browser.refresh(refreshToken, request)
                #expect(refreshed.status == 200, "\(refreshed.body)")
                refreshToken = try #require(refreshed.json["refresh_token"] as? String)
                for (key, path) in [(platform.seeded.api_keys[0], "/tenants"), (platform.globex.api_keys[0], "/tenants/globex")] {
                    let answer = try await place.browser.get(
                        "\(TestPlatform.publicURL)/v1\(path)", headers: [("Authorization", "Bearer \(key.secret)")])
                    #expect(answer.status == 200, "\(answer.body)")
                }
            }
        }
        try await Load.run(platform, servers) { load in
            // 1. Behind: every server can open the values that another server will seal.
            for number in servers.places.indices { _ = try await servers.restart(number, keys: [old, new]) }
            try await check()
            // 2. In front: the new key seals.
            for number in servers.places.indices {
                _ = try await servers.restart(number, keys: [new, old])
                try await load.more()
            }
            try await check()

            // Too early: a server without the old key is rejected, and so is a reseal that a server may undo.
            let refused = try await Program.run(
                ["serve"], environment: platform.environment.merging(["ESPALIER_MASTER_KEYS": new]) { $1 })
            #expect(refused.code == 1)
            #expect(refused.errors.contains("ESPALIER_MASTER_KEYS lacks the key \(oldID)"), "\(refused.errors)")
            _ = try await owner.run("UPDATE master_key SET sealing_at = now() WHERE id = decode(\(oldID), 'hex')")
            #expect(try await command(["reseal"], keys: [new, old]).code == 1)

            // 3. All data is moved, some time after the last server with the old key first has ended.
            _ = try await owner.run(
                "UPDATE master_key SET sealing_at = sealing_at - interval '1 hour' WHERE id = decode(\(oldID), 'hex')")
            let resealed = try await command(["reseal"], keys: [new, old])
            #expect(resealed.code == 0, "\(resealed.errors)")
            #expect(resealed.output.contains("\(oldID) may be dropped from ESPALIER_MASTER_KEYS."), "\(resealed.output)")
            let keys = try await status(keys: [new, old])
            #expect(keys.map { $0["state"] as? String } == ["sealing", "droppable"])
            #expect((keys[1]["sealed"] as? [Any])?.count == 0)
            try await load.more()
            let reported = try await servers.restart(0, keys: [new, old])
            try await eventually("the server names the key") {
                reported.talk.contains("a master key may be dropped from ESPALIER_MASTER_KEYS") && reported.talk.contains(oldID)
            }
            try await check()

            // 4. Dropped.
            for number in servers.places.indices {
                _ = try await servers.restart(number, keys: [new])
                try await load.more()
            }
            try await check()
        }
        #expect(try await status(keys: [new]).count == 1)
        // Both connections' Apple keys, and the public client.
        for tenant in [platform.acme, platform.globex] {
            for application in 0..<2 { _ = try await servers.places[1].browser.tokens(.init(tenant, application: application)) }
        }
        try await servers.stop()
    }
}

/// Two servers. One is restarted while the other serves.
private final class Servers: Sendable {
    let places: [ServedPlatform.Place]
    private let platform: ServedPlatform
    private let state: Mutex<(programs: [Program], inUse: [Int], isOpen: [Bool])>

    init(_ platform: ServedPlatform, keys: [String]) async throws {
        self.platform = platform
        places = [.init(), .init()]
        var programs: [Program] = []
        for place in places { programs.append(try await Self.serve(platform, place, keys)) }
        state = Mutex((programs, [0, 0], [true, true]))
    }

    private static func serve(_ platform: ServedPlatform, _ place: ServedPlatform.Place, _ keys: [String]) async throws -> Program {
        try await platform.serve(at: place, settings: ["ESPALIER_MASTER_KEYS": keys.joined(separator: ",")])
    }

    /// Returns a server that is not about to be restarted, as a load balancer does.
    func use<T>(_ body: (ServedPlatform.Place) async throws -> T) async throws -> T {
        let number = try await eventually("an open server") {
            state.withLock { state -> Int? in
                guard let number = places.indices.filter({ state.isOpen[$0] }).randomElement() else { return nil }
                state.inUse[number] += 1
                return number
            }
        }
        defer { state.withLock { $0.inUse[number] -= 1 } }
        return try await body(places[number])
    }

    /// Takes a server out, restarts it with other master keys, and takes it back.
    func restart(_ number: Int, keys: [String]) async throws -> Program {
        state.withLock { $0.isOpen[number] = false }
        try await eventually("nobody uses the server") { state.withLock { $0.inUse[number] == 0 } }
        let before = state.withLock { $0.programs[number] }
        before.signal(SIGTERM)
        let exit = try await before.exit()
        #expect(exit.code == 0, "\(exit.complaints)")
        let program = try await Self.serve(platform, places[number], keys)
        state.withLock { state in
            state.programs[number] = program
            state.isOpen[number] = true
        }
        return program
    }

    func stop() async throws {
        for program in state.withLock({ $0.programs }) {
            program.signal(SIGTERM)
            #expect(try await program.exit().code == 0)
        }
    }
}

/// People who sign in and refresh, and programs that call the REST API, at any running server.
private final class Load: Sendable {
    private struct State {
        var isOpen = true
        var rounds = 0
        var losses: [String] = []
    }

    private let state = Mutex(State())

    static func run(_ platform: ServedPlatform, _ servers: Servers, _ body: (Load) async throws -> Void) async throws {
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for tenant in [platform.acme, platform.globex] {
                tasks.addTask { await load.work(tenant, servers) }
            }
            do {
                try await load.more()
                try await body(load)
            } catch {
                load.state.withLock { $0.isOpen = false }
                throw error
            }
            load.state.withLock { $0.isOpen = false }
            try await tasks.waitForAll()
        }
        #expect(load.state.withLock { $0.losses } == [])
    }

    private func work(_ tenant: SeedResult.TenantResult, _ servers: Servers) async {
        while state.withLock({ $0.isOpen }), !Task.isCancelled {
            do {
                var request = TestBrowser.Request(tenant)
                (request.state, request.nonce, request.verifier) = (
                    TestBrowser.randomText(), TestBrowser.randomText(), TestBrowser.randomText()
                )
                let asked = request
                // Any server redeems the code, because it opens the sealed values of the others.
                let code = try await servers.use { try await $0.browser.signIn(asked)["code"] }
                let tokens = try await servers.use { try await $0.browser.redeem(code ?? "", asked) }
                let refreshed = try await servers.use { place in
                    try await place.browser.refresh(tokens.json["refresh_token"] as? String ?? "", asked)
                }
                let called = try await servers.use { place in
                    try await place.browser.get(
                        "\(TestPlatform.publicURL)/v1/tenants/\(tenant.slug)",
                        headers: [("Authorization", "Bearer \(tenant.api_keys[0].secret)")])
                }
                let statuses = [tokens.status, refreshed.status, called.status]
                state.withLock { state in
                    state.rounds += 1
                    if statuses != [200, 200, 200] { state.losses.append("\(statuses) \(tokens.body) \(refreshed.body) \(called.body)") }
                }
            } catch {
                state.withLock { $0.losses.append("\(error)") }
            }
        }
    }

    /// Returns when some more rounds are complete, or one has failed.
    func more() async throws {
        let before = state.withLock { $0.rounds }
        try await eventually("more rounds", within: .seconds(120)) {
            state.withLock { $0.rounds >= before + 4 || !$0.losses.isEmpty }
        }
    }
}
