import Crypto
import Encoding
package import Foundation
import Postgres
package import Server

/// A person with a browser and an authenticator app, who manages a tenant or the platform. Both use only HTTP, and no code of the server.
package struct PersonClient: Sendable {
    package let platform: TestPlatform
    package var browser: TestBrowser
    package var email: String
    package var password = "correct horse battery staple"
    /// The key of the app. Nil before the first code.
    package var key: [UInt8]?

    package init(_ platform: TestPlatform, _ email: String = "ada@example.com") {
        (self.platform, self.email, browser) = (platform, email, TestBrowser(platform))
    }

    package static let account = "\(TestPlatform.publicURL)/account"
    package static let cookie = "__Host-espalier-account"
    package static let stepCookie = "__Host-espalier-account-step"

    // MARK: Pages

    package func open(_ path: String) async throws -> TestBrowser.Answer { try await browser.get(Self.account + path) }

    /// Sends a form of a page, as the browser does.
    /// - Parameter page: the page with the form. Its hidden fields are sent, too.
    package func send(
        _ path: String, _ fields: [(String, String)], from page: TestBrowser.Answer, headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        let forms = page.body.components(separatedBy: "<form ").dropFirst().map { "<form " + $0.components(separatedBy: "</form>")[0] }
        let form = forms.first { form in ["\"", "?"].contains { form.contains("action=\"/account\(path)\($0)") } } ?? page.body
        let hidden = TestBrowser.AppleForm(html: form)?.fields.filter { name, _ in !fields.contains { $0.0 == name } } ?? []
        let sent = headers.contains { $0.0 == "Origin" } ? headers : headers + [("Origin", TestPlatform.publicURL)]
        return try await browser.post(Self.account + path, form: hidden + fields, headers: sent)
    }

    // MARK: An account

    /// Invites the address to Acme, or to the platform, with a link that no mail contains.
    /// - Returns: the part of the link after `/account`.
    package func invite(as role: String = "owner") async throws -> String {
        let answer =
            role == "operator"
            ? try await platform.call("POST", "/platform/operators", ["email": email])
            : try await platform.call("POST", "/tenants/acme/invitations", ["email": email, "role": role, "send_mail": false])
        guard let url = answer.json["url"] as? String else { throw TestSimulator.Refused(description: "no link: \(answer.body)") }
        return String(url.dropFirst(Self.account.count))
    }

    /// Accepts an invitation with a new account, and signs in by it.
    @discardableResult
    package mutating func register(
        as role: String = "owner", name: String = "Ada Lovelace", forgetsStep: Bool = true
    ) async throws -> TestBrowser.Answer {
        try await accept(try await invite(as: role), name: name, forgetsStep: forgetsStep)
    }

    /// Follows a link to a new account, and signs in by it.
    /// - Parameter link: the part after `/account`.
    @discardableResult
    package mutating func accept(
        _ link: String, name: String = "Ada Lovelace", forgetsStep: Bool = true
    ) async throws -> TestBrowser.Answer {
        let chosen = try await send("/invitation", [("name", name), ("password", password)], from: try await open(link))
        guard chosen.status == 303 else { throw TestSimulator.Refused(description: "not chosen: \(chosen.status) \(chosen.body)") }
        return try await enroll(forgetsStep: forgetsStep)
    }

    /// Opens the page of a new authenticator app, and scans its key.
    package mutating func scan() async throws -> TestBrowser.Answer {
        let page = try await open("/sign-in/authenticator")
        guard let text = page.body.firstMatch(of: /<bdi>([A-Z2-7 ]{32,})<\/bdi>/)?.1 else {
            throw TestSimulator.Refused(description: "no key: \(page.status) \(page.body)")
        }
        key = Self.base32(String(text))
        return page
    }

    /// Scans the key of the page, and gives its first code. Then the step of that code counts as used long ago, so that the codes of the
    /// current step and of the next one are left.
    /// - Parameter forgetsStep: false for a test of the code itself.
    @discardableResult
    package mutating func enroll(forgetsStep: Bool = true) async throws -> TestBrowser.Answer {
        let page = try await scan()
        let answer = try await send("/sign-in/authenticator", [("code", code())], from: page)
        if forgetsStep, answer.status == 200, let id = try await id() {
            _ = try await platform.ownerPool.run("UPDATE person_totp SET last_step = last_step - 2 WHERE person_id = \(id)")
        }
        return answer
    }

    /// The code of the app. The server accepts the codes of the steps 0 and 1 even if its own clock reaches the next step first.
    /// - Parameter offset: 0 is the current step of 30 s.
    package func code(_ offset: Int64 = 0) -> String {
        code(ofStep: Int64(Date().timeIntervalSince1970 / 30) + offset)
    }

    package func code(ofStep step: Int64) -> String {
        let mac = HMAC<Insecure.SHA1>.authenticationCode(
            for: withUnsafeBytes(of: step.bigEndian, Array.init), using: SymmetricKey(data: key ?? []))
        let bytes = Array(mac)
        let start = Int(bytes[19] & 15)
        let number = bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = "\(number % 1_000_000)"
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    private static func base32(_ text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (bytes, rest, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in text.utf8 {
            guard let value = alphabet.firstIndex(of: byte) else { continue }
            (rest, bits) = (rest << 5 | UInt32(value), bits + 5)
            if bits >= 8 {
                bytes.append(UInt8(rest >> (bits - 8) & 0xFF))
                bits -= 8
            }
        }
        return bytes
    }

    // MARK: A sign-in

    /// Gives the address and a password: the redirect to the second factor, or a page.
    package func givePassword(_ password: String? = nil, email: String? = nil) async throws -> TestBrowser.Answer {
        var page = try await open("/sign-in")
        // A signed-in person asks for the sign-in.
        if page.status == 303 { page = try await open("/sign-in?again=/account") }
        // An address with a provider gets the page of the provider first, unless the person chooses the password.
        let asked = try await send("/sign-in", [("email", email ?? self.email), ("with", "password")], from: page)
        return try await send(
            "/sign-in/password", [("email", email ?? self.email), ("password", password ?? self.password)], from: asked)
    }

    package func giveCode(_ code: String) async throws -> TestBrowser.Answer {
        try await send("/sign-in/code", [("code", code)], from: try await open("/sign-in/code"))
    }

    /// Signs in with both factors. Within 30 s, the offsets 0 and 1 work once each, in this order.
    package func signIn(_ offset: Int64 = 0) async throws -> TestBrowser.Answer {
        let given = try await givePassword()
        guard given.location == "/account/sign-in/code" else {
            throw TestSimulator.Refused(description: "no second factor: \(given.status) \(given.body)")
        }
        return try await giveCode(code(offset))
    }

    // MARK: Facts

    package var secret: String? { browser.cookies[Self.cookie] }

    /// The ID of the person in the database.
    package func id() async throws -> UUID? {
        try await platform.ownerPool.run("SELECT id FROM person WHERE email = \(email)").first { try $0.get("id") }
    }

    /// Gives the person a passkey, without the page for it.
    package func addPasskey(_ authenticator: SoftwareAuthenticator) async throws {
        guard let id = try await id() else { return }
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO passkey (id, person_id, credential_id, public_key, aaguid, sign_count, is_backup_eligible, is_backed_up, transports,
                name, created_at)
            VALUES (\(UUID()), \(id), \(authenticator.credentialID), \(authenticator.cose), \(authenticator.aaguid),
                \(Int64(authenticator.signCount)), \(authenticator.flags & 0b1000 != 0), \(authenticator.flags & 0b1_0000 != 0), '{}', 'Phone',
                now())
            """)
    }

    /// The challenge of a page for passkeys.
    package static func challenge(_ page: TestBrowser.Answer) -> [UInt8]? {
        page.body.firstMatch(of: /&quot;challenge&quot;:&quot;([A-Za-z0-9_-]+)&quot;/).flatMap { [UInt8](base64URL: String($0.1)) }
    }

    /// Uses a passkey on its page.
    package func usePasskey(_ assertion: SoftwareAuthenticator.Assertion, from page: TestBrowser.Answer) async throws -> TestBrowser.Answer
    {
        try await send(
            "/sign-in/passkey",
            [
                ("credential_id", assertion.credentialID.base64URL), ("user_handle", assertion.userHandle?.base64URL ?? ""),
                ("client_data", assertion.clientData.base64URL), ("authenticator_data", assertion.authenticatorData.base64URL),
                ("signature", assertion.signature.base64URL),
            ], from: page)
    }
}
