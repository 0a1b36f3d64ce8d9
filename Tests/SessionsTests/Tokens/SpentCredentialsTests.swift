import Access
import Foundation
import Postgres
@testable import Sessions
import Tenancy
import TestSupport
import Testing

@Suite("The memory of spent credentials")
struct SpentCredentialsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let sender = SpentCredentials.Sender(application: ID(at: now), limits: [nil, nil, 3600])
    private let session = ID<Session>(at: now)

    /// Whether the body ran.
    private func runs(
        _ spent: SpentCredentials, _ use: SpentCredentials.Use, by sender: SpentCredentials.Sender? = nil, after seconds: TimeInterval,
        throwing error: (any Error)? = OAuthError(.invalidGrant, "ended")
    ) async -> Bool {
        var isRun = false
        do {
            try await spent.refuse(use, by: sender ?? self.sender, at: Self.now.addingTimeInterval(seconds)) {
                isRun = true
                if let error { throw error }
            }
        } catch {}
        return isRun
    }

    @Test("a refusal is repeated for one minute, only for the same use, session, generation, application and limits")
    func minute() async throws {
        let spent = SpentCredentials()
        let use = SpentCredentials.Use.refresh(session, generation: 3)
        #expect(await runs(spent, use, after: 0))
        #expect(await !runs(spent, use, after: 59))
        await #expect(throws: OAuthError.self) {
            try await spent.refuse(use, by: sender, at: Self.now) { Issue.record("It was refused before.") }
        }
        #expect(await runs(spent, .refresh(session, generation: 4), after: 1))
        #expect(await runs(spent, .redeem(session, issuedAt: Self.now), after: 1))
        #expect(await runs(spent, .redeem(session, issuedAt: Self.now + 0.000_001), after: 1))
        #expect(await !runs(spent, .redeem(session, issuedAt: Self.now), after: 2))
        #expect(await runs(spent, .refresh(ID<Session>(at: Self.now), generation: 3), after: 1))
        #expect(await runs(spent, use, by: .init(application: ID(at: Self.now), limits: sender.limits), after: 1))
        // A longer limit can make the session active again.
        #expect(await runs(spent, use, by: .init(application: sender.application, limits: [nil, nil, 7200]), after: 1))
        #expect(await runs(spent, use, after: 60))
    }

    @Test("a success, an outage and a refusal of the rest of the request are not remembered")
    func passing() async throws {
        let spent = SpentCredentials()
        for error in [
            nil, CancellationError(), OAuthError(.invalidScope, "too much"), OAuthError(.temporarilyUnavailable, "later"),
        ] as [(any Error)?] {
            #expect(await runs(spent, .act(session, issuedAt: 1), after: 0, throwing: error))
            #expect(await runs(spent, .act(session, issuedAt: 1), after: 1, throwing: error), "\(String(describing: error))")
        }
        #expect(spent.count == 0)
    }

    @Test("an end runs once per minute; a failed one runs again")
    func once() async throws {
        let spent = SpentCredentials()
        var runs = 0
        for seconds in [0.0, 1, 59, 60] {
            try await spent.runOnce(.revoke(session), by: sender, at: Self.now.addingTimeInterval(seconds)) { runs += 1 }
        }
        #expect(runs == 2)
        for expected in [3, 4] {
            await #expect(throws: CancellationError.self) {
                try await spent.runOnce(.logOut(session), by: sender, at: Self.now) {
                    runs += 1
                    throw CancellationError()
                }
            }
            #expect(runs == expected)
        }
    }

    @Test("the memory is bounded: when it is full of fresh entries, it forgets all of them")
    func bounded() async throws {
        let spent = SpentCredentials(capacity: 10)
        for number in 0..<35 {
            #expect(await runs(spent, .refresh(session, generation: number), after: 0))
            #expect(spent.count <= 10)
        }
    }
}
