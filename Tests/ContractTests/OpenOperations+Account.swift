import Access
import Crypto
import Encoding
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport

extension OpenOperations {
    /// The pages of a person's own account.
    func account() async throws -> [(String, TestBrowser.Answer)] {
        let (person, member) = (ID<Person>(at: Date()), ID<Membership>(at: Date()))
        let (tenant, passkey) = (ID<Tenant>(platform.acme.id)!.uuid, passkey(of: person))
        _ = try await platform.ownerPool.run([
            Person.insert(person, name: "Ada", email: "ada@example.com", isProved: true, at: Date()),
            Membership.insert(member, of: person, as: .builtIn(.viewer), owner: tenant, at: Date()), passkey.insert,
        ])
        let browser = try await signIn(person).browser
        let other = try await signIn(person).session
        var answers: [(String, TestBrowser.Answer)] = []
        func get(_ id: String, _ path: String) async throws -> TestBrowser.Answer {
            let answer = try await browser.get(TestPlatform.publicURL + "/account" + path)
            answers.append((id, answer))
            return answer
        }
        func post(
            _ id: String, _ path: String, of page: TestBrowser.Answer, _ fields: [(String, String)] = []
        ) async throws {
            let form = ["csrf", "key", "ticket"].compactMap { name in Self.value(of: name, in: page).map { (name, $0) } }
            answers.append((id, try await browser.post(TestPlatform.publicURL + "/account" + path, form: form + fields)))
        }

        let overview = try await get("showAccount", "")
        try await post("changeName", "/name", of: try await get("showName", "/name"), [("name", "Ada Lovelace")])
        try await post("changeEmail", "/email", of: try await get("showEmail", "/email"), [("email", "ada@new.example")])
        let confirmation = try await browser.get(try await link(to: "ada@new.example"))
        answers.append(("showNewEmail", confirmation))
        try await post("confirmEmail", "/email/confirmation", of: confirmation)

        let enrollment = try await get("showTOTP", "/totp")
        let code = Self.code(ofKeyIn: enrollment)
        try await post("enrollTOTP", "/totp", of: enrollment, [("code", code)])
        let another = try await get("showNewTOTP", "/new-totp")
        try await post("replaceTOTP", "/new-totp", of: another, [("code", Self.code(ofKeyIn: another))])
        try await post("removeTOTP", "/totp/removal", of: overview)
        try await post("removeTOTP", "/totp/removal", of: overview, [("confirmed", "yes")])
        try await post("renewRecoveryCodes", "/recovery-codes", of: try await get("showRecoveryCodes", "/recovery-codes"))

        _ = try await get("listPasskeys", "/passkeys")
        let shown = try await get("showPasskey", "/passkeys/\(passkey.id)")
        try await post("renamePasskey", "/passkeys/\(passkey.id)/name", of: shown, [("name", "Laptop")])
        let creation = try await get("showNewPasskey", "/new-passkey")
        let challenge = creation.body.firstMatch(of: /challenge&quot;:&quot;([A-Za-z0-9_-]+)/).flatMap { [UInt8](base64URL: String($0.1)) }
        let made = SoftwareAuthenticator().registration(challenge ?? [])
        try await post(
            "addPasskey", "/new-passkey", of: creation,
            [
                ("client_data", made.clientData.base64URL), ("attestation_object", made.attestationObject.base64URL),
                ("transports", "internal"),
            ])
        try await post("deletePasskey", "/passkeys/\(passkey.id)/removal", of: shown)
        try await post("deletePasskey", "/passkeys/\(passkey.id)/removal", of: shown, [("confirmed", "yes")])

        _ = try await get("listOwnSessions", "/sessions")
        try await post("endOwnSession", "/sessions/\(other)/end", of: overview)
        try await post("endOtherSessions", "/sessions/end", of: overview)
        _ = try await get("listOwnAPIKeys", "/api-keys")
        try await post("revokeOwnAPIKey", "/api-keys/\(ID<APIKey>(at: Date()))/revoke", of: overview)
        try await post("leaveTenant", "/memberships/\(member)/leave", of: try await get("showMembership", "/memberships/\(member)"))
        try await post(
            "changePassword", "/password", of: try await get("showPassword", "/password"), [("password", "a quite different phrase")])

        // Without factors, the mailed link is enough.
        _ = try await platform.ownerPool.run(["DELETE FROM passkey", "DELETE FROM recovery_code", "DELETE FROM person_totp"])
        try await post("askForRecovery", "/recovery", of: try await get("showRecovery", "/recovery"), [("email", "ada@new.example")])
        let recovery = try await browser.get(try await link(to: "ada@new.example", containing: "/recovery/"))
        answers.append(("showNewPassword", recovery))
        try await post("setNewPassword", "/recovery/password", of: recovery, [("password", "another different phrase")])
        return answers
    }

    private func signIn(_ person: ID<Person>) async throws -> (browser: TestBrowser, session: ID<PersonSession>) {
        var random = SystemRandomNumberGenerator()
        let (secret, browser) = (PersonSession.makeSecret(using: &random), TestBrowser(platform))
        let new = PersonSession.New(ID(at: Date()), of: person, .browser, methods: ["pwd"], userAgent: nil, address: nil)
        _ = try await platform.ownerPool.run(new.insert(secret, keyring: platform.settings.keyring, at: Date()))
        browser.cookies["__Host-espalier-account"] = secret.reveal()
        return (browser, new.id)
    }

    private func passkey(of person: ID<Person>) -> PersonPasskey {
        let bytes = [UInt8](repeating: 1, count: 32)
        return PersonPasskey(
            ID(at: Date()), of: person, credential: bytes, publicKey: bytes, aaguid: Array(bytes[..<16]), signCount: 0,
            isBackupEligible: false, isBackedUp: false, transports: [], name: "Phone", at: Date())
    }

    private func link(to address: String, containing path: String = "/account/") async throws -> String {
        try await eventually("the mail arrives") { mails.mails.last { $0.recipient == address && $0.link.contains(path) }?.link }
    }

    private static func value(of name: String, in page: TestBrowser.Answer) -> String? {
        page.body.matches(of: /name="([a-z]+)" value="([^"]*)"/).first { $0.1 == name }.map { String($0.2) }
    }

    /// The code that an app shows for the key on a page (RFC 6238).
    private static func code(ofKeyIn page: TestBrowser.Answer) -> String {
        let text = page.body.firstMatch(of: /<bdi>((?:[A-Z2-7]{4} ){7}[A-Z2-7]{4})<\/bdi>/)?.1 ?? ""
        var (key, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for letter in text.utf8 where letter != UInt8(ascii: " ") {
            (bits, count) = (bits << 5 | UInt32(letter >= 65 ? letter - 65 : letter - 24), count + 5)
            guard count >= 8 else { continue }
            key.append(UInt8(truncatingIfNeeded: bits >> UInt32(count - 8)))
            count -= 8
        }
        let step = Int64(Date().timeIntervalSince1970 / 30)
        let mac = withUnsafeBytes(of: step.bigEndian) {
            Array(HMAC<Insecure.SHA1>.authenticationCode(for: Data($0), using: SymmetricKey(data: key)))
        }
        let offset = Int(mac[19] & 15)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
