import AppleSimulator
import Foundation
import JWTKit
import Testing

@Suite("Faults")
struct FaultTests {
    private func set(_ website: Website, _ fault: String) async throws {
        let answer = try await website.send("POST", "/simulator/faults", json: fault)
        #expect(answer.status == 201, "\(answer.text)")
    }

    private func parts(_ token: Any?) throws -> (header: JWTHeader, claims: Claims, signature: Data) {
        let parsed = try DefaultJWTParser().parse(Array(try #require(token as? String).utf8), as: Claims.self)
        return (parsed.header, parsed.payload, parsed.signature)
    }

    @Test("a status comes with an HTML page, the requested number of times")
    func status() async throws {
        try await withSimulator { website in
            try await set(website, #"{"endpoint": "keys", "fault": "status", "status": 503, "times": 2}"#)
            for _ in 1...2 {
                let answer = try await website.send("GET", "/auth/keys")
                #expect(answer.status == 503)
                #expect(answer.header("content-type")?.hasPrefix("text/html") == true)
            }
            #expect(try await website.send("GET", "/auth/keys").status == 200)
        }
    }

    @Test("a fault for one client affects no other client or endpoint")
    func oneClient() async throws {
        try await withSimulator { website in
            let code = try await website.code()
            try await set(website, #"{"endpoint": "token", "fault": "status", "status": 500, "client_id": "com.example.app"}"#)
            #expect(try await website.redeem("made-up").status == 400)
            #expect(try await website.authorize().status == 200)
            #expect(try await website.redeem(code, ["client_id": Website.bundleID]).status == 500)
        }
    }

    @Test("a fault lasts until it is cleared by its ID or its client")
    func cleared() async throws {
        try await withSimulator { website in
            let fault = #"{"endpoint": "token", "fault": "status", "status": 500, "client_id": "com.example.web"}"#
            try await set(website, fault)
            for _ in 1...3 { #expect(try await website.redeem("made-up").status == 500) }
            let listed = try #require(try await website.send("GET", "/simulator/faults")["faults"] as? [[String: Any]])
            #expect(listed.count == 1)
            #expect(listed[0]["met"] as? Int == 3)
            let id = try #require(listed[0]["id"] as? Int)
            #expect(try await website.send("DELETE", "/simulator/faults/\(id)").status == 204)
            #expect(try await website.send("DELETE", "/simulator/faults/\(id)").status == 404)
            #expect(try await website.redeem("made-up").status == 400)
            try await set(website, fault)
            #expect(try await website.send("DELETE", "/simulator/faults?client_id=com.example.app").status == 204)
            #expect(try await website.redeem("made-up").status == 500)
            #expect(try await website.send("DELETE", "/simulator/faults?client_id=com.example.web").status == 204)
            #expect(try await website.redeem("made-up").status == 400)
        }
    }

    @Test("a slow response takes at least the requested time")
    func slow() async throws {
        try await withSimulator { website in
            try await set(website, #"{"endpoint": "keys", "fault": "slow", "milliseconds": 200}"#)
            let took = try await ContinuousClock().measure { expectSuccess(try await website.send("GET", "/auth/keys")) }
            #expect(took >= .milliseconds(200))
        }
    }

    @Test("a wrong clock changes the Date and the check of a secret, the requested number of times")
    func clock() async throws {
        try await withSimulator { website in
            func skew(_ answer: Answer) throws -> Double {
                let formatter = DateFormatter()
                formatter.locale = Locale(identifier: "en_US_POSIX")
                formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
                return try #require(formatter.date(from: answer.header("date") ?? "")).timeIntervalSinceNow
            }
            #expect(try await abs(skew(website.redeem("made-up"))) < 60)
            try await set(website, #"{"endpoint": "token", "fault": "clock", "seconds": 7200, "times": 1}"#)
            let late = try await website.redeem("made-up")
            #expect(try abs(skew(late) - 7200) < 60)
            try await set(website, #"{"endpoint": "token", "fault": "clock", "seconds": -7200, "times": 1}"#)
            let early = try await website.redeem("made-up")
            #expect(try abs(skew(early) + 7200) < 60)
            #expect(early.error == "invalid_client")
            let after = try await website.redeem("made-up")
            #expect(try abs(skew(after)) < 60)
            #expect(after.error == "invalid_grant")
        }
    }

    @Test("a dropped connection has no response")
    func drop() async throws {
        try await withSimulator { website in
            try await set(website, #"{"endpoint": "token", "fault": "drop", "times": 1}"#)
            await #expect(throws: (any Error).self) { try await website.redeem("made-up") }
            #expect(try await website.redeem("made-up").status == 400)
        }
    }

    @Test("malformed JSON is a 200 that does not parse", arguments: ["token", "keys"])
    func malformed(_ endpoint: String) async throws {
        try await withSimulator { website in
            let code = try await website.code()
            try await set(website, #"{"endpoint": "\#(endpoint)", "fault": "malformed_json"}"#)
            let answer = endpoint == "token" ? try await website.redeem(code) : try await website.send("GET", "/auth/keys")
            #expect(answer.status == 200)
            #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) }
            #expect(!answer.text.isEmpty)
        }
    }

    @Test("after a rotation, the token's key was not published before")
    func rotated() async throws {
        try await withSimulator { website in
            let before = try await website.send("GET", "/auth/keys").text
            try await set(website, #"{"endpoint": "token", "fault": "rotate_keys", "times": 1}"#)
            let token = try await website.redeem(website.code())["id_token"]
            #expect(!before.contains(try #require(try parts(token).header.kid)))
            _ = try await website.verified(token)
        }
    }

    @Test("one claim is replaced by any JSON, including null, or removed; the rest and the signature stay valid")
    func claims() async throws {
        try await withSimulator { website in
            for (value, expected) in [
                (#", "value": "https://evil.example""#, "https://evil.example" as JWTHeaderField?), (#", "value": null"#, .some(.null)),
                (#", "value": ["a", {"b": 1}]"#, ["a", ["b": 1]]), ("", nil),
            ] {
                try await set(website, #"{"endpoint": "token", "fault": "claim", "claim": "iss", "times": 1\#(value)}"#)
                let claims = try await website.signIn()
                #expect(claims["iss"] == expected)
                #expect(claims["aud"] == .string(Website.clientID))
            }
            try await set(website, #"{"endpoint": "authorize", "fault": "claim", "claim": "aud", "value": "other"}"#)
            let fields = try await website.authorize(["response_type": "code id_token"]).hiddenFields
            #expect(try await website.verified(fields["id_token"])["aud"] == "other")
        }
    }

    @Test("an invalid signature has the right length and does not verify")
    func badSignature() async throws {
        try await withSimulator { website in
            try await set(website, #"{"endpoint": "token", "fault": "bad_signature"}"#)
            let token = try await website.redeem(website.code())["id_token"]
            #expect(try parts(token).signature.count == 256)
            await #expect(throws: (any Error).self) { try await website.verified(token) }
        }
    }

    @Test("an unknown kid is not the ID of a published key")
    func unknownKeyID() async throws {
        try await withSimulator { website in
            try await set(website, #"{"endpoint": "token", "fault": "unknown_kid"}"#)
            let token = try await website.redeem(website.code())["id_token"]
            let kid = try #require(try parts(token).header.kid)
            #expect(try await !website.send("GET", "/auth/keys").text.contains(kid))
        }
    }

    @Test("alg none has no signature, alg HS256 is keyed with the public key")
    func algorithms() async throws {
        try await withSimulator { website in
            try await set(website, #"{"endpoint": "token", "fault": "alg", "alg": "none", "times": 1}"#)
            let unsigned = try await website.redeem(website.code())["id_token"]
            #expect(try parts(unsigned).header.alg == "none")
            #expect(try parts(unsigned).signature.isEmpty)
            #expect(try parts(unsigned).claims["iss"] == "https://appleid.apple.com")
            try await set(website, #"{"endpoint": "token", "fault": "alg", "alg": "HS256", "times": 1}"#)
            let confused = try await website.redeem(website.code())["id_token"]
            #expect(try parts(confused).header.alg == "HS256")
            #expect(try parts(confused).signature.count == 32)
        }
    }

    @Test("no refresh token, and any OAuth error")
    func tokenAnswers() async throws {
        try await withSimulator { website in
            try await set(website, #"{"endpoint": "token", "fault": "no_refresh_token", "times": 1}"#)
            let tokens = try await website.redeem(website.code())
            #expect(tokens.status == 200)
            #expect(tokens["refresh_token"] == nil)
            try await set(website, #"{"endpoint": "token", "fault": "error", "error": "unauthorized_client", "times": 1}"#)
            let refused = try await website.redeem(website.code())
            #expect(refused.status == 400)
            #expect(refused.error == "unauthorized_client")
            try await set(website, #"{"endpoint": "authorize", "fault": "error", "error": "server_error"}"#)
            #expect(try await website.authorize().hiddenFields == ["error": "server_error", "state": "state-1"])
        }
    }

    @Test("a hostile user field arrives unchanged", arguments: ["not json", #"{"name": "<script>alert('1')</script>"}"#, "[]"])
    func hostileUser(_ user: String) async throws {
        try await withSimulator { website in
            let body = String(decoding: try JSONEncoder().encode(["endpoint": "authorize", "fault": "user", "value": user]), as: UTF8.self)
            try await set(website, body)
            for _ in 1...2 { #expect(try await website.authorize().hiddenFields["user"] == user) }
        }
    }

    @Test(
        "an invalid fault is rejected with the invalid field",
        arguments: [
            (#"{"fault": "drop"}"#, "endpoint"), (#"{"endpoint": "token", "fault": "explode"}"#, "fault"),
            (#"{"endpoint": "keys", "fault": "no_refresh_token"}"#, "fault"),
            (#"{"endpoint": "token", "fault": "slow"}"#, "milliseconds"),
            (#"{"endpoint": "token", "fault": "status", "status": 200}"#, "status"),
            (#"{"endpoint": "token", "fault": "clock"}"#, "seconds"),
            (#"{"endpoint": "keys", "fault": "drop", "client_id": "a"}"#, "client_id"),
            (#"{"endpoint": "token", "fault": "drop", "times": 0}"#, "times"),
            (#"{"endpoint": "token", "fault": "drop", "tmies": 1}"#, "tmies"),
        ])
    func senseless(_ body: String, _ field: String) async throws {
        try await withSimulator { website in
            let answer = try await website.send("POST", "/simulator/faults", json: body)
            #expect(answer.status == 400)
            #expect(answer["field"] as? String == field)
        }
    }

    @Test("reset clears faults, consents and the registry, but not the signing keys")
    func reset() async throws {
        try await withSimulator { website in
            let keys = try await website.send("GET", "/auth/keys").text
            try await set(website, #"{"endpoint": "keys", "fault": "drop"}"#)
            expectSuccess(try await website.send("POST", "/simulator/reset"))
            #expect(try await website.send("GET", "/auth/keys").text == keys)
            #expect(try await website.authorize().status == 400)
            let registry = try await website.send("GET", "/simulator/registry")
            #expect((registry["teams"] as? [Any])?.isEmpty == true)
        }
    }
}
