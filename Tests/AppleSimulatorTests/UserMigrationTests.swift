import AppleSimulator
import Foundation
import JWTKit
import Testing

/// An app is transferred between teams, and both teams query Apple about its users.
@Suite("User migration")
struct UserMigrationTests {
    private static let receiver = "TEAM000002"

    /// One side of the transfer: a team and its key.
    private struct Side {
        let website: Website
        let team, keyID: String
        let key: ES256PrivateKey
        let clock: TestClock

        func form(_ fields: [String: String]) async throws -> [String: String] {
            let seconds = Int(clock.now.timeIntervalSince1970)
            let secret = try await website.secret(
                [
                    "iss": .string(team), "sub": .string(Website.clientID), "aud": "https://appleid.apple.com", "iat": .int(seconds),
                    "exp": .int(seconds + 300),
                ], header: ["kid": .string(keyID)], key: key)
            return fields.merging(["client_id": Website.clientID, "client_secret": secret]) { $1 }
        }

        func leave(scope: String = "user.migration") async throws -> Answer {
            try await Website.send(
                "POST", "\(website.url)/auth/token", form: form(["grant_type": "client_credentials", "scope": scope]))
        }

        func ask(_ fields: [String: String], token: String? = nil) async throws -> Answer {
            let own = token == nil ? try #require(try await leave()["access_token"] as? String) : nil
            return try await Website.send(
                "POST", "\(website.url)/auth/usermigrationinfo", headers: [("Authorization", "Bearer \(token ?? own ?? "")")],
                form: form(fields))
        }
    }

    private func withBothSides(_ test: (Website, _ sender: Side, _ receiver: Side, TestClock) async throws -> Void) async throws {
        let clock = TestClock()
        try await withSimulator(.init(clock: { clock.now })) { website in
            try await expectSuccess(website.send("PUT", "/simulator/teams/\(Self.receiver)", json: "{}"))
            let made = try await website.send("POST", "/simulator/keys", json: #"{"team": "\#(Self.receiver)"}"#)
            let receiver = Side(
                website: website, team: Self.receiver, keyID: try #require(made["id"] as? String),
                key: try ES256PrivateKey(pem: try #require(made["private_key"] as? String)), clock: clock)
            let sender = Side(website: website, team: Website.team, keyID: website.keyID, key: website.key, clock: clock)
            try await test(website, sender, receiver, clock)
        }
    }

    /// Returns the claims of a person's sign-in, which this side redeems.
    private func signIn(_ website: Website, _ side: Side, as person: String, hidingEmail: Bool = false) async throws -> (
        Claims, isFirst: Bool
    ) {
        let page = try await website.authorize(as: person, headers: hidingEmail ? [("Simulator-Email", "hide")] : [])
        let form = try await side.form([
            "grant_type": "authorization_code", "code": try #require(page.hiddenFields["code"]), "redirect_uri": Website.redirectURI,
        ])
        let answer = try await Website.send("POST", "\(website.url)/auth/token", form: form)
        // Only the claims, because this test's clock differs from a verifier's clock.
        let payload = try #require((answer["id_token"] as? String)?.split(separator: ".").dropFirst().first, "\(answer.text)")
        let base64 = payload.replacing("-", with: "+").replacing("_", with: "/")
        let data = try #require(Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)))
        return (try JSONDecoder().decode(Claims.self, from: data), page.hiddenFields["user"] != nil)
    }

    private func transfer(_ website: Website) async throws -> Answer {
        try await website.send(
            "POST", "/simulator/transfers", json: #"{"client_id": "\#(Website.clientID)", "team": "\#(Self.receiver)"}"#)
    }

    @Test("the old team's identifier gives the new team the sub of the person's next id_token, and both return it for 60 days")
    func whole() async throws {
        try await withBothSides { website, sender, receiver, clock in
            let (before, _) = try await signIn(website, sender, as: "Ada Lovelace")
            let (hidden, _) = try await signIn(website, sender, as: "Grace Hopper", hidingEmail: true)
            func subject(_ claims: Claims, _ name: String = "sub") -> String? { claims[name]?.asString }
            let ahead = try await sender.ask(["sub": try #require(subject(before)), "target": Self.receiver])
            let identifier = try #require(ahead["transfer_sub"] as? String)
            #expect(subject(before, "transfer_sub") == nil)
            #expect(identifier != subject(before))
            let early = try await receiver.leave()
            #expect(early.error == "invalid_client")

            let moved = try await transfer(website)
            expectSuccess(moved)
            #expect(moved["people"] as? Int == 2)
            // The same result afterwards, from the team that transferred the app.
            let again = try await sender.ask(["sub": try #require(subject(before)), "target": Self.receiver])
            #expect(again["transfer_sub"] as? String == identifier)
            let received = try await receiver.ask(["transfer_sub": identifier])
            let new = try #require(received["sub"] as? String)
            #expect(new != subject(before))
            #expect(received["email"] == nil)
            let (after, isFirst) = try await signIn(website, receiver, as: "Ada Lovelace")
            #expect(!isFirst)
            #expect(subject(after) == new)
            #expect(subject(after, "transfer_sub") == identifier)

            let relayed = try await sender.ask(["sub": try #require(subject(hidden)), "target": Self.receiver])
            let other = try await receiver.ask(["transfer_sub": try #require(relayed["transfer_sub"] as? String)])
            let address = try #require(other["email"] as? String)
            #expect(address.hasSuffix("@privaterelay.appleid.com") && address != subject(hidden, "email"))
            #expect(other["is_private_email"] as? Bool == true)
            // A person who signs in later belongs only to the new team.
            let (late, lateIsFirst) = try await signIn(website, receiver, as: "Alan Turing")
            #expect(lateIsFirst)
            #expect(subject(late, "transfer_sub") == nil)

            clock.advance(seconds: 60 * 86_400)
            #expect(try await receiver.ask(["transfer_sub": identifier]).error == "invalid_request")
            #expect(try await sender.leave().error == "invalid_client")
            #expect(subject(try await signIn(website, receiver, as: "Ada Lovelace").0, "transfer_sub") == nil)
        }
    }

    @Test("another team's sub, a target that is not another team, an incomplete request and a foreign or old token are rejected")
    func refusals() async throws {
        try await withBothSides { website, sender, receiver, clock in
            let subject = try #require(try await signIn(website, sender, as: "Ada Lovelace").0["sub"]?.asString)
            for fields in [
                ["sub": "000000.nobody.0000", "target": Self.receiver], ["sub": subject, "target": "NOSUCHTEAM"],
                ["sub": subject, "target": Website.team], ["sub": subject], ["target": Self.receiver], [:],
                ["transfer_sub": "000000.nobody.0000"],
            ] {
                let answer = try await sender.ask(fields)
                #expect(answer.status == 400 && answer.error == "invalid_request", "\(fields)")
            }
            #expect(try await sender.leave(scope: "name").error == "invalid_scope")
            let question = ["sub": subject, "target": Self.receiver]
            #expect(try await sender.ask(question, token: "made-up").status == 401)
            let token = try #require(try await sender.leave()["access_token"] as? String)
            expectSuccess(try await transfer(website))
            #expect(try await receiver.ask(["transfer_sub": "x"], token: token).status == 401)
            expectSuccess(try await sender.ask(question, token: token))
            clock.advance(seconds: 3600)
            #expect(try await sender.ask(question, token: token).status == 401)
        }
    }

    @Test("the portal moves an existing client to another existing team, including an app's bundle ID")
    func portal() async throws {
        try await withBothSides { website, _, _, _ in
            func move(_ client: String, _ team: String) async throws -> Int {
                try await website.send("POST", "/simulator/transfers", json: #"{"client_id": "\#(client)", "team": "\#(team)"}"#).status
            }
            #expect(try await move("com.example.nobody", Self.receiver) == 400)
            #expect(try await move(Website.clientID, "NOSUCHTEAM") == 400)
            #expect(try await move(Website.clientID, Website.team) == 409)
            #expect(try await move(Website.bundleID, Self.receiver) == 201)
            let registry = try await website.send("GET", "/simulator/registry").text
            let teams =
                try #require(try JSONSerialization.jsonObject(with: Data(registry.utf8)) as? [String: Any])["teams"] as? [[String: Any]]
            let bundles = Dictionary(
                uniqueKeysWithValues: (teams ?? []).map { ($0["id"] as? String ?? "", $0["bundle_ids"] as? [String] ?? []) })
            #expect(bundles == [Website.team: [], Self.receiver: [Website.bundleID]])
        }
    }

    @Test("throttling is simulated on demand, with the time to wait")
    func throttled() async throws {
        try await withBothSides { website, sender, _, _ in
            try await expectSuccess(
                website.send(
                    "POST", "/simulator/faults",
                    json: #"{"endpoint": "usermigrationinfo", "fault": "status", "status": 429, "retry_after": 7, "times": 1}"#))
            let answer = try await sender.ask(["sub": "x", "target": Self.receiver])
            #expect((answer.status, answer.header("Retry-After")) == (429, "7"))
        }
    }
}
