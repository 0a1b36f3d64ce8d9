import Access
import Foundation
import Postgres
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing

/// `SpentCredentials` remembers an Apple id_token only after its use.
@Suite("Spent id_tokens")
struct SpentIDTokenTests {
    @Test("a use is remembered, and a stale id_token is not")
    func remembered() async throws {
        let (now, spent) = (Date(timeIntervalSince1970: 1_800_000_000), SpentCredentials())
        let (session, sender) = (ID<Session>(at: now), SpentCredentials.Sender(application: ID(at: now), limits: [nil, nil, 3600]))
        var outcomes: [String] = []
        for (second, refusal) in [NativeRefusal.stale, .stale, .used, .used].enumerated() {
            await #expect(throws: (any Error).self) {
                try await spent.refuse(
                    .act(session, issuedAt: 1), by: sender, at: now.addingTimeInterval(Double(second)), isFinal: SignInNatively.isUsed
                ) {
                    outcomes.append(refusal.outcome)
                    throw refusal
                }
            }
        }
        #expect(outcomes == [NativeRefusal.stale, .stale, .used].map(\.outcome))
    }

    @Test("Apple's id_token, used and then sent again, is refused without a statement")
    func native() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            var body = try await phone.authorize().body
            body["code"] = nil
            #expect(try await phone.send(body).status == 200)
            #expect(try await phone.send(body).string("error") == "invalid_grant")
            let again = try await platform.ownerPool.transaction { [body] db in
                _ = try await db.run("SET LOCAL idle_in_transaction_session_timeout = 0")
                _ = try await db.run("LOCK TABLE single_use IN ACCESS EXCLUSIVE MODE")
                return try await phone.send(body)
            }
            #expect(again.string("error") == "invalid_grant", "\(again.status)")
        }
    }
}
