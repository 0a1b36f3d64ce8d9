import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Reset person factors")
struct ResetPersonFactorsTests {
    @Test("the factors and sessions go, the password stays, and the person gets a mail")
    func resets() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                let (ada, grace) = (try await platform.addMember("Ada"), try await platform.addPerson("Grace"))
                for person in [ada.person, grace] { try await platform.addFactors(person) }
                let reset = try await platform.call("POST", "/platform/people/\(ada.person)/reset")
                #expect(reset.status == 200 && reset.json["has_password"] as? Bool == true)
                #expect(reset.json["has_authenticator"] as? Bool == false && reset.json["recovery_codes"] as? Int == 0)
                #expect(reset.json["passkeys"] as? Int == 0 && reset.json["sessions"] as? Int == 0)
                for table in ["person_totp", "passkey"] { #expect(try await platform.count(table) == 1) }
                let mail = try await eventually("the mail arrives") { mails.mails.first { $0.recipient == "ada@example.com" } }
                #expect(mail.part("plain")?.contains("login.test") == true && mail.part("plain")?.contains("Ada") == false)
                // The person cannot judge the address of an operator.
                let text = mail.part("plain") ?? ""
                #expect(text.contains(" UTC") && text.contains("If you did not ask for this") && !text.contains("127.0.0.1"))
                #expect(try await platform.audit(ada.person.description).map(\.action) == ["resetPersonFactors"])
            }
        }
    }

    @Test("a caller with fewer scopes than a membership of the person resets nothing")
    func escalation() async throws {
        try await TestPlatform.run { platform in
            let ada = try await platform.addMember("Ada", as: .builtIn(.platformOperator), of: .platform)
            try await platform.addFactors(ada.person)
            let narrow = try await platform.narrowKey("members:write")
            #expect(
                try await platform.call("POST", "/platform/people/\(ada.person)/reset", key: narrow).isProblem(403, "insufficient_scope"))
            #expect(try await platform.count("person_totp") == 1)
        }
    }
}
