import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("Transaction")
struct TransactionTests {
    private let url: String
    private let pool: DatabasePool

    private struct Refusal: Error {}

    init() async throws {
        url = try await TestDatabase.empty().ownerURL
        pool = try TestDatabase.pool(url)
        _ = try await pool.run("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)")
        _ = try await pool.run("INSERT INTO account VALUES (1, 100), (2, 100)")
    }

    private func balance(_ id: Int) async throws -> Int {
        try await pool.run("SELECT balance FROM account WHERE id = \(id)")[0].get("balance")
    }

    @Test("a body that returns is committed, with the prelude's settings in effect")
    func commit() async throws {
        let tenant = try await pool.transaction(prelude: ["SELECT set_config('test.tenant', \("seven"), true)"]) { db in
            _ = try await db.run("UPDATE account SET balance = 1 WHERE id = 1")
            return try await db.run(["SELECT 1", "SELECT current_setting('test.tenant') AS tenant"])[1][0].get("tenant", as: String.self)
        }
        #expect(tenant == "seven")
        #expect(try await balance(1) == 1)
    }

    @Test("a body that throws is rolled back, with its error")
    func rollBack() async throws {
        await #expect(throws: Refusal.self) {
            try await pool.transaction { db in
                _ = try await db.run("UPDATE account SET balance = 1 WHERE id = 1")
                throw Refusal()
            }
        }
        #expect(try await balance(1) == 100)
    }

    @Test("an error that the body ignores still fails the commit")
    func swallowedError() async throws {
        let error = await databaseError {
            try await pool.transaction { db in
                _ = try await db.run("UPDATE account SET balance = 1 WHERE id = 1")
                _ = try? await db.run("SELECT 1 / 0")
            }
        }
        #expect(error?.sqlState == "25P02")
        #expect(try await balance(1) == 100)
    }

    @Test("a savepoint makes a transaction survive an error")
    func savepoint() async throws {
        try await pool.transaction { db in
            _ = try await db.run(["UPDATE account SET balance = 1 WHERE id = 1", "SAVEPOINT before"])
            _ = try? await db.run("SELECT 1 / 0")
            _ = try await db.run("ROLLBACK TO SAVEPOINT before")
        }
        #expect(try await balance(1) == 1)
    }

    @Test("a body without statements costs nothing")
    func emptyBody() async throws {
        #expect(try await pool.transaction { _ in 7 } == 7)
    }

    @Test("concurrent statements queue up", arguments: 1...20)
    func concurrentStatements(_ round: Int) async throws {
        let sum = try await SharedDatabase.pool().transaction { db in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...50 {
                    group.addTask { try await db.run("SELECT \(number) AS n")[0].get("n") }
                }
                return try await group.reduce(0, +)
            }
        }
        #expect(sum == 1275)
    }

    @Test("a transaction that outlives its body is over")
    func escaped() async throws {
        let escaped = try await pool.transaction { $0 }
        #expect(await databaseError { _ = try await escaped.run("SELECT 1") }?.kind == .misuse)
    }

    @Test("a transaction that is over cannot change the time limit of the session, which another caller may use")
    func escapedLimit() async throws {
        let pool = try TestDatabase.pool(url) { $0.maximumConnections = 1 }
        let escaped = try await pool.transaction { db in
            _ = try await db.run("SELECT 1")
            return db
        }
        try await pool.transaction { db in
            _ = try await db.run("SELECT 1")
            #expect(await db.state.session === escaped.state.session)
            #expect(await databaseError { _ = try await escaped.run("SELECT 1", upTo: .seconds(600)) }?.kind == .misuse)
            #expect(await db.state.session.longestStatement == nil)
        }
    }

    @Test("one of two racing serializable transactions fails as such, and its repetition sees the other's changes")
    func serializationFailure() async throws {
        let bothHaveRead = Barrier(parties: 2)
        func withdraw(from id: Int, meeting barrier: Barrier?) async throws {
            try await pool.transaction(prelude: ["SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"]) { db in
                let total: Int = try await db.run("SELECT sum(balance) AS total FROM account")[0].get("total")
                await barrier?.arrive()
                guard total >= 200 else { throw Refusal() }
                _ = try await db.run("UPDATE account SET balance = balance - 150 WHERE id = \(id)")
            }
        }
        async let first = databaseError { try await withdraw(from: 1, meeting: bothHaveRead) }
        async let second = databaseError { try await withdraw(from: 2, meeting: bothHaveRead) }
        let errors = await [first, second]
        #expect(errors.compactMap(\.self).map(\.isSerializationFailure) == [true])
        let loser = errors[0] == nil ? 2 : 1
        await #expect(throws: Refusal.self) { try await withdraw(from: loser, meeting: nil) }
        #expect(try await balance(1) + balance(2) == 50)
    }

    @Test("one of two transactions in a deadlock fails as such")
    func deadlock() async throws {
        let bothHaveLocked = Barrier(parties: 2)
        func swap(_ first: Int, _ second: Int) async throws {
            try await pool.transaction { db in
                _ = try await db.run("UPDATE account SET balance = balance + 1 WHERE id = \(first)")
                await bothHaveLocked.arrive()
                _ = try await db.run("UPDATE account SET balance = balance + 1 WHERE id = \(second)")
            }
        }
        async let one = databaseError { try await swap(1, 2) }
        async let other = databaseError { try await swap(2, 1) }
        let errors = await [one, other].compactMap(\.self)
        #expect(errors.map(\.sqlState) == ["40P01"])
        #expect(errors.first?.isSerializationFailure == true)
        #expect(errors.first?.isOutage == true)
    }

    @Test("a lock that is held too long, and a statement that runs too long, fail")
    func timeLimits() async throws {
        let impatient = try TestDatabase.pool(url) {
            $0.lockTimeout = .milliseconds(50)
            $0.statementTimeout = .seconds(20)
        }
        try await pool.transaction { db in
            _ = try await db.run("SELECT * FROM account WHERE id = 1 FOR UPDATE")
            let error = await databaseError { _ = try await impatient.run("UPDATE account SET balance = 0 WHERE id = 1") }
            #expect(error?.sqlState == "55P03")
            #expect(error?.isOutage == true)
        }
        let hasty = try TestDatabase.pool(url) { $0.statementTimeout = .seconds(2) }
        #expect(await databaseError { _ = try await hasty.run("SELECT pg_sleep(30)") }?.sqlState == "57014")
        #expect(try await hasty.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("a transaction open for too long loses its connection, and nothing else fails")
    func idleInTransaction() async throws {
        let short = try TestDatabase.pool(url) { $0.idleInTransactionTimeout = .milliseconds(50) }
        let error = await databaseError {
            try await short.transaction { db in
                let pid: Int = try await db.run("UPDATE account SET balance = 0 RETURNING pg_backend_pid() AS pid")[0].get("pid")
                #expect(try await pool.wait(until: "SELECT count(*) = 0 AS done FROM pg_stat_activity WHERE pid = \(pid)"))
                _ = try await db.run("SELECT 1")
            }
        }
        #expect(error?.kind == .connection)
        #expect(try await short.run("SELECT balance FROM account WHERE id = 1")[0].get("balance") == 100)
    }
}

/// A point where tasks wait for each other.
private actor Barrier {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(parties: Int) {
        missing = parties
    }

    func arrive() async {
        missing -= 1
        guard missing == 0 else { return await withCheckedContinuation { waiting.append($0) } }
        for continuation in waiting { continuation.resume() }
    }
}
