import AppleSimulator
import Foundation
import JWTKit
import Testing

@Suite("Sheet")
struct SheetTests {
    /// Presses a button of the page for the person. It sends the hidden inputs and the person's input.
    private func press(_ website: Website, on page: Answer, _ added: [String: String]) async throws -> Answer {
        let form = page.hiddenFields.merging(added) { $1 }
        return try await Website.send("POST", "\(website.url)/auth/authorize", form: form)
    }

    private func sheet(_ website: Website, for person: String) async throws -> Answer {
        let parameters = Website.authorization().merging(["simulator_person": person]) { $1 }
        return try await Website.send("GET", "\(website.url)/auth/authorize?\(Website.encode(parameters))")
    }

    @Test("the first page shows the website, escaped, and offers the people, a new person, and cancel")
    func people() async throws {
        try await withSimulator { website in
            let page = try await website.authorize(as: nil)
            #expect(page.status == 200)
            #expect(page.text.contains("Sign in to Tea &amp; &lt;Cakes&gt;"))
            #expect(!page.text.contains("<Cakes>"))
            for person in ["ada-lovelace", "grace-hopper", "alan-turing", "katherine-johnson", "new"] {
                #expect(page.text.contains(#"name="simulator_person" value="\#(person)""#))
            }
            #expect(page.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
            let cancelled = try await press(website, on: page, ["simulator_action": "cancel"])
            #expect(cancelled.hiddenFields["error"] == "user_cancelled_authorize")
        }
    }

    @Test("the application receives the input of the sheet; later sheets ask for nothing")
    func typed() async throws {
        try await withSimulator { website in
            let page = try await sheet(website, for: "ada-lovelace")
            #expect(page.text.contains(#"name="simulator_given_name""#))
            #expect(page.text.contains(#"name="simulator_email""#))
            let answer = try await press(
                website, on: page,
                [
                    "simulator_action": "continue", "simulator_given_name": "<b>Åda</b>", "simulator_family_name": "\"L\"",
                    "simulator_email": "hide",
                ])
            let user = try #require(answer.hiddenFields["user"])
            let read = try #require(try JSONSerialization.jsonObject(with: Data(user.utf8)) as? [String: Any])
            #expect(read["name"] as? [String: String] == ["firstName": "<b>Åda</b>", "lastName": "\"L\""])
            #expect((read["email"] as? String)?.hasSuffix("@privaterelay.appleid.com") == true)

            let again = try await sheet(website, for: "ada-lovelace")
            #expect(!again.text.contains("simulator_given_name"))
            #expect(!again.text.contains("simulator_email"))
            let second = try await press(website, on: again, ["simulator_action": "continue"])
            #expect(Set(second.hiddenFields.keys) == ["code", "state"])
        }
    }

    @Test("a new person on the sheet is another person each time")
    func newcomer() async throws {
        try await withSimulator { website in
            var subjects: Set<JWTHeaderField?> = []
            for _ in 1...2 {
                let page = try await sheet(website, for: "new")
                let answer = try await press(website, on: page, ["simulator_action": "continue"])
                let tokens = try await website.redeem(try #require(answer.hiddenFields["code"]))
                subjects.insert(try await website.verified(tokens["id_token"])["sub"])
            }
            #expect(subjects.count == 2)
        }
    }

    @Test("a changed client in the posted form is rejected with a page")
    func tampered() async throws {
        try await withSimulator { website in
            let page = try await sheet(website, for: "ada-lovelace")
            let answer = try await press(website, on: page, ["simulator_action": "continue", "redirect_uri": "https://evil.example/"])
            #expect(answer.status == 400)
            #expect(answer.hiddenFields.isEmpty)
        }
    }
}
