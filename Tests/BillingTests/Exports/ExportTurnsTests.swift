@testable import Billing
import Foundation
import Postgres
import Server
import Synchronization
import TestSupport
import Testing
import Web

@Suite("Export turns")
struct ExportTurnsTests {
    private static func withLogins(_ body: @escaping @Sendable (DatabasePool) async throws -> Void) async throws {
        try await TestPlatform.run { platform in try await body(try TestDatabase.pool(platform.settings.databaseURL)) }
    }

    /// Something that is in use until its end.
    private struct Use {
        private let finish: AsyncStream<Void>.Continuation
        private let task: Task<Void, any Error>

        /// Returns when `body` has called its parameter, which then returns at the end of the use.
        init(_ body: @escaping @Sendable (_ hold: @Sendable () async -> Void) async throws -> Void) async throws {
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let (finished, finish) = AsyncStream.makeStream(of: Void.self)
            self.finish = finish
            task = Task {
                defer { start.finish() }
                try await body {
                    start.finish()
                    for await _ in finished {}
                }
            }
            for await _ in started {}
        }

        /// A session of the pool.
        init(_ logins: DatabasePool) async throws {
            try await self.init { hold in
                try await logins.transaction { db in
                    _ = try await db.run("SELECT 1")
                    await hold()
                }
            }
        }

        func end() async throws {
            finish.finish()
            try await task.value
        }
    }

    @Test("a turn starts only after the logins in progress, and the time without use that follows them")
    func precedence() async throws {
        try await Self.withLogins { logins in
            let quiet = Duration.milliseconds(30)
            let turns = ExportTurns(count: 1, before: logins, quietTime: quiet, longestWait: .seconds(600))
            let login = try await Use(logins)
            let hasStarted = Atomic(false)
            async let start = turns.run(isSent: true) {
                hasStarted.store(true, ordering: .relaxed)
                return ContinuousClock.now
            }
            // Long enough for a turn that does not wait. A slower one can hide a fault, but not invent one.
            for _ in 0..<10_000 { await Task.yield() }
            let startedEarly = hasStarted.load(ordering: .relaxed)
            #expect(!startedEarly)
            let before = ContinuousClock.now
            try await login.end()
            #expect(try await start - before >= quiet)
        }
    }

    @Test("without logins, a turn starts at once; while they run all the time, after the longest wait", arguments: [true, false])
    func limit(isSent: Bool) async throws {
        try await Self.withLogins { logins in
            let idle = ExportTurns(count: 1, before: logins, quietTime: .zero, longestWait: .seconds(600))
            #expect(try await idle.run(isSent: isSent) { true })
            let longest = Duration.milliseconds(200)
            let turns = ExportTurns(count: 1, before: logins, longestWait: longest)
            let login = try await Use(logins)
            let before = ContinuousClock.now
            let start = try await turns.run(isSent: isSent) { ContinuousClock.now }
            #expect(start - before >= (isSent ? longest : longest / 10))
            try await login.end()
        }
    }

    private final class Record: Sendable {
        let state = Mutex((running: 0, most: 0, callers: [Int]()))
    }

    @Test("no more turns run at a time than their number, and each caller gets one")
    func order() async throws {
        try await Self.withLogins { logins in
            let turns = ExportTurns(count: 2, before: logins, quietTime: .zero)
            let record = Record()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await turns.run(isSent: true) {
                            record.state.withLock {
                                $0.running += 1
                                $0.most = max($0.most, $0.running)
                                $0.callers.append(number)
                            }
                            for _ in 1...20 { await Task.yield() }
                            record.state.withLock { $0.running -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(record.state.withLock { $0.most } <= 2)
            #expect(record.state.withLock { $0.callers.sorted() } == Array(0..<40))
            // Two at a time: the first ends only after the second has started.
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            async let first: Void = turns.run(isSent: true) { for await _ in started {} }
            try await turns.run(isSent: true) { start.finish() }
            try await first
        }
    }

    @Test("a caller that is cancelled or fails ends its turn")
    func ended() async throws {
        try await Self.withLogins { logins in
            let turns = ExportTurns(count: 1, before: logins, longestWait: .seconds(600))
            let login = try await Use(logins)
            let callers = (1...3).map { _ in Task { try await turns.run(isSent: true) {} } }
            for caller in callers { caller.cancel() }
            for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
            try await login.end()
            struct Failure: Error {}
            await #expect(throws: Failure.self) { try await turns.run(isSent: true) { throw Failure() } }
            #expect(try await turns.run(isSent: true) { true })
        }
    }

    @Test("a caller whose result is only counted waits for at most one turn that is sent; otherwise first come, first served")
    func alternation() async throws {
        try await Self.withLogins { logins in
            let turns = ExportTurns(count: 1, before: logins, quietTime: .zero)
            let holder = try await Use { hold in try await turns.run(isSent: true) { await hold() } }
            let record = Record()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...6 {
                    group.addTask {
                        try await turns.run(isSent: number <= 4) { record.state.withLock { $0.callers.append(number) } }
                    }
                    try await eventually("the caller waits") { turns.waiting == number }
                }
                try await holder.end()
                try await group.waitForAll()
            }
            #expect(record.state.withLock { $0.callers } == [5, 1, 6, 2, 3, 4])
        }
    }

    @Test("a caller without a turn gives up when it is cancelled, and after the waiting time with 503")
    func givingUp() async throws {
        try await Self.withLogins { logins in
            let turns = ExportTurns(count: 1, before: logins, quietTime: .zero, waitingTime: .milliseconds(20))
            let holder = try await Use { hold in try await turns.run(isSent: true) { await hold() } }
            let problem = await #expect(throws: Problem.self) { try await turns.run(isSent: true) {} }
            #expect(problem?.code == .unavailable)
            let patient = Task { try await turns.run(isSent: true) {} }
            patient.cancel()
            await #expect(throws: CancellationError.self) { try await patient.value }
            try await holder.end()
            #expect(try await turns.run(isSent: true) { true })
        }
    }

    @Test("an export gives way to the pool of logins")
    func wiring() async throws {
        try await TestPlatform.run { platform in
            let login = try await Use(platform.installation.pools.logins)
            let before = ContinuousClock.now
            #expect(try await platform.export("format=csv&\(TestPlatform.march)").status == 200)
            #expect(ContinuousClock.now - before >= .milliseconds(50))
            try await login.end()
        }
    }
}
