import Apple
import Foundation
import Testing

@Suite("Apple's keys")
struct AppleKeySetTests {
    private let path = "/auth/keys"

    private func verify(_ token: String, _ client: AppleClient, at now: Date = Claims.now) async throws(AppleError) {
        _ = try await client.verify(token, audiences: [Claims.audience], nonce: Claims.nonce, at: now)
    }

    @Test("one fetch serves all tokens")
    func fetchedOnce() async throws {
        let (first, second) = (try await SigningKey.make("key-1"), try await SigningKey.make("key-2", pem: TestKeys.rsa2))
        try await FakeApple.run { apple, client in
            apple.answerKeys(first, second)
            for _ in 0..<5 {
                try await verify(try first.sign(Claims()), client)
                try await verify(try second.sign(Claims()), client)
            }
            #expect(apple.requests(path).count == 1)
        }
    }

    @Test("all callers that wait for keys share one fetch")
    func singleFlight() async throws {
        let key = try await SigningKey.make("key-1")
        let token = try key.sign(Claims())
        try await FakeApple.run { apple, client in
            apple.answer(path, .held(SigningKey.publish([key])))
            let started = Gate(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        started.set { $0 += 1 }
                        try await verify(token, client)
                    }
                }
                await started.wait(until: { $0 == 50 })
                await apple.waitForRequests(1)
                apple.release()
                try await group.waitForAll()
            }
            #expect(apple.requests(path).count == 1)
        }
    }

    @Test("a caller at its deadline does not wait for keys, and the fetch continues for others")
    func deadline() async throws {
        let key = try await SigningKey.make("key-1")
        let token = try key.sign(Claims())
        try await FakeApple.run { apple, client in
            apple.answer(path, .held(SigningKey.publish([key])))
            let patient = Task { try await verify(token, client) }
            await apple.waitForRequests(1)
            await #expect(throws: AppleError.timedOut) {
                _ = try await client.verify(
                    token, audiences: [Claims.audience], nonce: Claims.nonce, at: Claims.now, by: ContinuousClock.now)
            }
            apple.release()
            try await patient.value
            // It needs no time, because the keys are available.
            _ = try await client.verify(
                token, audiences: [Claims.audience], nonce: Claims.nonce, at: Claims.now, by: ContinuousClock.now)
        }
    }

    @Test("a caller that gives up does not end the fetch for the others")
    func cancelledCaller() async throws {
        let key = try await SigningKey.make("key-1")
        let token = try key.sign(Claims())
        try await FakeApple.run { apple, client in
            apple.answer(path, .held(SigningKey.publish([key])))
            let impatient = Task { try await verify(token, client) }
            await apple.waitForRequests(1)
            let patient = Task { try await verify(token, client) }
            impatient.cancel()
            apple.release()
            try await patient.value
            await #expect(throws: AppleError.cancelled) { try await impatient.value }
            #expect(apple.requests(path).count == 1)
        }
    }

    @Test("a new key is fetched while the budget lasts, and again after an interval")
    func rotation() async throws {
        let (old, new) = (try await SigningKey.make("key-1"), try await SigningKey.make("key-2", pem: TestKeys.rsa2))
        try await FakeApple.run({ ($0.keysFetchBudget, $0.keysRefetchInterval) = (1, .seconds(10)) }) { apple, client in
            apple.answerKeys(old)
            try await verify(try old.sign(Claims()), client)
            apple.answerKeys(old, new)
            await #expect(throws: AppleError.untrusted(.unknownKey)) {
                try await verify(try new.sign(Claims()), client, at: Claims.now + 9)
            }
            #expect(apple.requests(path).count == 1)
            try await verify(try new.sign(Claims()), client, at: Claims.now + 10)
            try await verify(try old.sign(Claims()), client, at: Claims.now + 10)
            #expect(apple.requests(path).count == 2)
        }
    }

    @Test("two rotations within a minute or a second reject no token")
    func twoRotations() async throws {
        let keys = [
            try await SigningKey.make("key-1"), try await SigningKey.make("key-2", pem: TestKeys.rsa2), try await SigningKey.make("key-3"),
        ]
        try await FakeApple.run { apple, client in
            for (second, key) in keys.enumerated() {
                apple.answerKeys(key)
                try await verify(try key.sign(Claims()), client, at: Claims.now + Double(second))
                try await verify(try key.sign(Claims()), client, at: Claims.now + Double(second))
            }
            #expect(apple.requests(path).count == 3)
        }
    }

    @Test("a key that Apple publishes during a fetch is found by the next one")
    func rotatedDuringFetch() async throws {
        let (old, new) = (try await SigningKey.make("key-1"), try await SigningKey.make("key-2", pem: TestKeys.rsa2))
        let token = try new.sign(Claims())
        try await FakeApple.run { apple, client in
            // The first response is from before the rotation.
            apple.answer(path, .held(SigningKey.publish([old])))
            let first = Task { try await verify(try old.sign(Claims()), client) }
            await apple.waitForRequests(1)
            let arrived = Gate(false)
            let second = Task {
                arrived.set { $0 = true }
                try await verify(token, client)
            }
            await arrived.wait(until: { $0 })
            apple.answerKeys(old, new)
            apple.release()
            try await first.value
            try await second.value
        }
    }

    @Test("a clock that was set back does not prevent fetches of new keys")
    func clockSetBack() async throws {
        let (old, new) = (try await SigningKey.make("key-1"), try await SigningKey.make("key-2", pem: TestKeys.rsa2))
        try await FakeApple.run { apple, client in
            apple.answerKeys(old)
            try await verify(try old.sign(Claims()), client, at: Claims.now + 3000)
            apple.answerKeys(old, new)
            try await verify(try new.sign(Claims()), client, at: Claims.now)
        }
    }

    @Test("any number of invented key IDs causes only the fetches of the budget, then one per interval")
    func noStorm() async throws {
        let key = try await SigningKey.make("key-1")
        try await FakeApple.run({ ($0.keysFetchBudget, $0.keysRefetchInterval) = (5, .seconds(10)) }) { apple, client in
            apple.answerKeys(key)
            try await verify(try key.sign(Claims()), client)
            let forged = try (0..<200).map { try key.sign(header: #"{"kid":"made-up-\#($0)","alg":"RS256"}"#, payload: Claims().json) }
            for interval in 0...3 {
                let now = Claims.now + Double(interval) * 10
                await withTaskGroup(of: Void.self) { group in
                    for token in forged {
                        group.addTask {
                            await #expect(throws: AppleError.untrusted(.unknownKey)) { try await verify(token, client, at: now) }
                        }
                    }
                }
                #expect(apple.requests(path).count <= 5 + interval)
                // Known keys do not depend on it.
                try await verify(try key.sign(Claims()), client, at: now)
            }
            // One after the other, so that none meets a fetch in progress.
            for token in forged {
                await #expect(throws: AppleError.untrusted(.unknownKey)) { try await verify(token, client, at: Claims.now + 30) }
            }
            #expect(apple.requests(path).count == 8)
        }
    }

    @Test("while Apple is down, its known keys stay in use, and an unknown key is reported as Apple's failure")
    func appleDown() async throws {
        let (known, unknown) = (try await SigningKey.make("key-1"), try await SigningKey.make("key-2", pem: TestKeys.rsa2))
        try await FakeApple.run { apple, client in
            apple.answerKeys(known)
            try await verify(try known.sign(Claims()), client)
            apple.answer(path, .html(503))
            let later = Claims.now + 7200
            for _ in 0..<3 { try await verify(try known.sign(Claims()), client, at: later) }
            // The first known key started a background fetch. An unknown key causes a fetch while the budget lasts. Then all receive
            // the failure. A known key causes no other fetch within the interval, although the set is old.
            for second in 1...9 {
                await #expect(throws: AppleError.unavailable(status: 503)) {
                    try await verify(try unknown.sign(Claims()), client, at: later + Double(second))
                }
                try await verify(try known.sign(Claims()), client, at: later + Double(second))
            }
            #expect(apple.requests(path).count == 6)
            apple.answerKeys(known, unknown)
            try await verify(try unknown.sign(Claims()), client, at: later + 120)
        }
    }

    @Test(
        "an invalid response, or one without a usable key, does not change the set",
        arguments: [
            "", "<html>", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[{"kty":"EC","kid":"key-1","crv":"P-256"}]}"#,
            #"{"keys":[{"kty":"RSA","kid":"key-1","alg":"RS256","n":"AQAB","e":"AQAB"}]}"#,
        ])
    func nonsense(answer: String) async throws {
        let key = try await SigningKey.make("key-1")
        try await FakeApple.run { apple, client in
            apple.answerKeys(key)
            try await verify(try key.sign(Claims()), client)
            apple.answer(path, .json(answer))
            let unknown = try key.sign(header: #"{"kid":"key-2","alg":"RS256"}"#, payload: Claims().json)
            let later = Claims.now + 60
            do {
                try await verify(unknown, client, at: later)
                Issue.record("an unknown key was accepted")
            } catch AppleError.nonsense {
                #expect(apple.requests(path).count == 2)
            }
            try await verify(try key.sign(Claims()), client, at: later)
        }
    }

    @Test("a failed first fetch delays nobody: every caller may try again")
    func firstFetchFails() async throws {
        let key = try await SigningKey.make("key-1")
        try await FakeApple.run { apple, client in
            apple.answer(path, .html(500))
            await #expect(throws: AppleError.unavailable(status: 500)) { try await verify(try key.sign(Claims()), client) }
            apple.answerKeys(key)
            try await verify(try key.sign(Claims()), client)
        }
    }

    @Test("an old set is fetched again in the background without a wait")
    func backgroundRefetch() async throws {
        let key = try await SigningKey.make("key-1")
        try await FakeApple.run({ $0.keysMaximumAge = .seconds(3600) }) { apple, client in
            apple.answerKeys(key)
            try await verify(try key.sign(Claims()), client)
            apple.answer(path, .held(SigningKey.publish([key])))
            try await verify(try key.sign(Claims()), client, at: Claims.now + 3599)
            #expect(apple.requests(path).count == 1)
            // These would never end if they waited for the delayed response.
            for second in [3600, 3600, 3620] { try await verify(try key.sign(Claims()), client, at: Claims.now + Double(second)) }
            await apple.waitForRequests(2)
            apple.release()
            // An unknown key does not rely on a fetch that started before, and causes one more. A second fetch from the last of them
            // would be a fourth request.
            let unknown = try key.sign(header: #"{"kid":"key-2","alg":"RS256"}"#, payload: Claims().json)
            await #expect(throws: AppleError.untrusted(.unknownKey)) { try await verify(unknown, client, at: Claims.now + 3605) }
            #expect(apple.requests(path).count == 3)
        }
    }

    @Test("a key that Apple has withdrawn is rejected after the next fetch")
    func withdrawn() async throws {
        let (old, new) = (try await SigningKey.make("key-1"), try await SigningKey.make("key-2", pem: TestKeys.rsa2))
        try await FakeApple.run { apple, client in
            apple.answerKeys(old)
            try await verify(try old.sign(Claims()), client)
            apple.answerKeys(new)
            try await verify(try new.sign(Claims()), client, at: Claims.now + 60)
            await #expect(throws: AppleError.untrusted(.unknownKey)) {
                try await verify(try old.sign(Claims()), client, at: Claims.now + 60)
            }
        }
    }

    @Test("keys of other kinds are ignored, and the rest is used")
    func strangeKeys() async throws {
        let key = try await SigningKey.make("key-1")
        let strange = [
            #"{"kty":"EC","kid":"ec","crv":"P-256","x":"AAAA","y":"AAAA"}"#, #"{"kty":"NEW","kid":"new"}"#, "17", "null",
            key.jwk.replacingOccurrences(of: "key-1", with: "for-encryption").replacingOccurrences(of: #""sig""#, with: #""enc""#),
            key.jwk.replacingOccurrences(of: "key-1", with: "other-algorithm").replacingOccurrences(of: "RS256", with: "RS512"),
        ]
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(#"{"keys":[\#(strange.joined(separator: ",")),\#(key.jwk)]}"#))
            try await verify(try key.sign(Claims()), client)
            for id in ["ec", "new", "for-encryption", "other-algorithm", ""] {
                let token = try key.sign(header: #"{"kid":"\#(id)","alg":"RS256"}"#, payload: Claims().json)
                await #expect(throws: AppleError.untrusted(.unknownKey)) { try await verify(token, client) }
            }
        }
    }
}
