import AppleSimulator
import Foundation
import JWTKit
import Testing

@Suite("Consent")
struct ConsentTests {
    private func secondTeam(_ website: Website) async throws {
        expectSuccess(try await website.send("PUT", "/simulator/teams/TEAM000002", json: "{}"))
        expectSuccess(
            try await website.send(
                "PUT", "/simulator/services-ids/org.other.web",
                json: #"{"team": "TEAM000002", "display_name": "Other", "return_urls": ["https://other.example/callback"]}"#))
    }

    @Test("user is sent once per person and team, even if the code is never redeemed")
    func userOnce() async throws {
        try await withSimulator { website in
            try await secondTeam(website)
            let other = ["client_id": "org.other.web", "redirect_uri": "https://other.example/callback"]
            let user = try await website.authorize().hiddenFields["user"]
            #expect(user == #"{"email":"ada-lovelace@example.com","name":{"firstName":"Ada","lastName":"Lovelace"}}"#)
            #expect(try await website.authorize().hiddenFields["user"] == nil)
            #expect(try await website.authorize(as: "Grace Hopper").hiddenFields["user"] != nil)
            #expect(try await website.authorize(other).hiddenFields["user"] != nil)
            #expect(try await website.authorize(other).hiddenFields["user"] == nil)
        }
    }

    @Test("user contains only the data of the scope")
    func scopes() async throws {
        try await withSimulator { website in
            let name = try await website.authorize(as: "A One", ["scope": "name"]).hiddenFields["user"]
            #expect(name == #"{"name":{"firstName":"A","lastName":"One"}}"#)
            let email = try await website.authorize(as: "B Two", ["scope": "email"]).hiddenFields["user"]
            #expect(email == #"{"email":"b-two@example.com"}"#)
            #expect(try await website.authorize(as: "C Three", ["scope": nil]).hiddenFields["user"] == nil)
            #expect(try await website.signIn(as: "D Four", ["scope": "name"])["email"] == nil)
        }
    }

    @Test("the headers set name and email at the first authorization and are ignored later")
    func headers() async throws {
        try await withSimulator { website in
            let first = try await website.authorize(
                as: "Alan Turing", headers: [("Simulator-Name", "Al van T"), ("Simulator-Email", "hide")])
            #expect(first.hiddenFields["user"]?.contains(#"{"firstName":"Al","lastName":"van T"}"#) == true)
            let claims = try await website.verified(website.redeem(try #require(first.hiddenFields["code"]))["id_token"])
            #expect(claims["email"]?.asString?.hasSuffix("@privaterelay.appleid.com") == true)
            #expect(claims["is_private_email"] == true)
            let second = try await website.authorize(as: "Alan Turing", headers: [("Simulator-Email", "share")])
            let later = try await website.verified(website.redeem(try #require(second.hiddenFields["code"]))["id_token"])
            #expect(later["email"] == claims["email"])
        }
    }

    @Test("an unknown value of the email header is rejected")
    func badHeader() async throws {
        try await withSimulator { website in
            let answer = try await website.authorize(headers: [("Simulator-Email", "perhaps")])
            #expect(answer.status == 400)
        }
    }

    @Test("subject and relay address depend on person and team, and stay the same")
    func subjects() async throws {
        try await withSimulator { website in
            try await secondTeam(website)
            let key = try await website.send("POST", "/simulator/keys", json: #"{"team": "TEAM000002"}"#)
            #expect(key.status == 201)
            let other = ["client_id": "org.other.web", "redirect_uri": "https://other.example/callback", "response_type": "code id_token"]
            let hide = [("Simulator-Email", "hide")]
            func claims(_ answer: Answer) async throws -> Claims { try await website.verified(answer.hiddenFields["id_token"]) }
            let here = try await claims(website.authorize(["response_type": "code id_token"], headers: hide))
            let again = try await claims(website.authorize(["response_type": "code id_token"]))
            let grace = try await claims(website.authorize(as: "Grace Hopper", ["response_type": "code id_token"], headers: hide))
            let there = try await claims(website.authorize(other, headers: hide))
            #expect(here["sub"] == again["sub"])
            #expect(here["email"] == again["email"])
            #expect(Set([here["sub"], grace["sub"], there["sub"]]).count == 3)
            #expect(Set([here["email"], grace["email"], there["email"]]).count == 3)
        }
    }

    @Test("a person is the same in another simulator, because a database outlives the process")
    func acrossRestarts() async throws {
        var subjects: Set<JWTHeaderField?> = []
        for _ in 1...2 {
            try await withSimulator { website in subjects.insert(try await website.signIn()["sub"]) }
        }
        #expect(subjects.count == 1)
    }

    @Test("Booleans are sent as strings, as Booleans or not at all; a Work & School account has no email")
    func styles() async throws {
        try await withSimulator { website in
            let ada = try await website.signIn(as: "Ada Lovelace")
            #expect(ada["email_verified"] == "true")
            #expect(ada["is_private_email"] == "false")
            let katherine = try await website.signIn(as: "Katherine Johnson")
            #expect(katherine["email"] == nil)
            #expect(katherine["email_verified"] == nil)
            #expect(katherine["org_id"] == "langley.example")
            let person = #"{"name": "Barbara Liskov", "boolean_style": "omitted"}"#
            #expect(try await website.send("POST", "/simulator/people", json: person).status == 201)
            let barbara = try await website.signIn(as: "barbara-liskov")
            #expect(barbara["email"] == "barbara-liskov@example.com")
            #expect(barbara["email_verified"] == nil)
            #expect(barbara["is_private_email"] == nil)
        }
    }

    @Test("named people are listed; new is a new person each time")
    func listed() async throws {
        try await withSimulator { website in
            let first = try await website.signIn(as: "new")
            let second = try await website.signIn(as: "new")
            #expect(first["sub"] != second["sub"])
            #expect(try await website.signIn(as: "Mary Shelley")["sub"] == (try await website.signIn(as: "mary shelley")["sub"]))
            let people = try #require(try await website.send("GET", "/simulator/people")["people"] as? [[String: Any]])
            #expect(people.compactMap { $0["name"] as? String }.count { $0 == "Mary Shelley" } == 1)
            #expect(people.count == 4 + 3)
        }
    }

    @Test("a person's consents can be listed until the consent ends")
    func lookedUp() async throws {
        try await withSimulator { website in
            func consents() async throws -> [[String: Any]] {
                let answer = try await website.send("GET", "/simulator/people/grace-hopper/consents")
                return try #require(answer["consents"] as? [[String: Any]])
            }
            #expect(try await consents().isEmpty)
            let tokens = try await website.redeem(website.code(as: "Grace Hopper"))
            let token = try #require(tokens["refresh_token"] as? String)
            let granted = try await consents()
            let subject = try await website.verified(tokens["id_token"])["sub"]?.asString
            #expect(granted.map { $0["subject"] as? String } == [subject])
            #expect(granted.first?["email"] as? String == "grace-hopper@example.com")
            let revoked = try await Website.send(
                "POST", "\(website.url)/auth/revoke",
                form: [
                    "client_id": Website.clientID, "client_secret": try await website.secret(), "token": token,
                ])
            expectSuccess(revoked)
            #expect(try await consents().isEmpty)
        }
    }
}
