/// What there is at the end of the way, and how to try it.
struct OnboardingResult {
    /// RFC 7636, appendix B: known to everyone, and good enough for a login that is only a test.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    let tenant: JSON
    let application: JSON
    let connection: JSON
    /// Nil where no person signs in.
    let testLoginURL: String?

    /// - Throws: ``Failure``, when the server's answers lack what is needed.
    init(tenant: JSON, application: JSON, connection: JSON) throws(Failure) {
        (self.tenant, self.application, self.connection) = (tenant, application, connection)
        guard let issuer = tenant["issuer"]?.string, let id = application["id"]?.string else { throw .shape() }
        guard let redirectURI = application["redirect_uris"]?.elements?.first?.string else {
            testLoginURL = nil
            return
        }
        let client = "client_id=\(id.inQuery)&redirect_uri=\(redirectURI.inQuery)"
        let suffix = "/t/\(tenant["slug"]?.text ?? "")"
        if application["requires_pkce"] == .bool(false), issuer.hasSuffix(suffix) {
            testLoginURL = "\(issuer.dropLast(suffix.count))/auth/apple/authorize?\(client)"
        } else {
            testLoginURL =
                "\(issuer)/oauth2/authorize?response_type=code&\(client)&scope=openid%20profile%20email"
                + "&code_challenge=\(Self.challenge)&code_challenge_method=S256"
        }
    }

    private var usesPKCE: Bool { testLoginURL?.contains("code_challenge=") == true }

    var json: JSON {
        .given([
            "tenant": tenant, "application": application, "connection": connection == .null ? nil : connection,
            "test_login_url": JSON(testLoginURL), "test_code_verifier": usesPKCE ? .string(Self.verifier) : nil,
        ])
    }

    var text: String {
        var rows = [
            ["Tenant", tenant["slug"]?.text ?? ""],
            ["Issuer", tenant["issuer"]?.text ?? ""],
            ["Client ID", application["id"]?.text ?? ""],
            ["Connection", connection["id"]?.text ?? "shared"],
        ]
        if let testLoginURL { rows.append(["Test login", testLoginURL]) }
        if usesPKCE { rows.append(["Code verifier", "\(Self.verifier)  (RFC 7636's example, for this test only)"]) }
        return "\n" + Table(rows: rows).text
    }

    var nextSteps: String {
        let slug = (tenant["slug"]?.text ?? "").printable
        var lines = ["", "Go on with:"]
        if testLoginURL != nil { lines.insert(contentsOf: ["", "Open the test login in a browser."], at: 0) }
        if connection != .null { lines.append("  espalierctl connections check --tenant \(slug)") }
        lines += [
            "  espalierctl api-keys issue --tenant \(slug) --name … --scope …",
            "  espalierctl webhooks create https://… --tenant \(slug) --event user.created",
            "  espalierctl usage show --tenant \(slug)",
        ]
        return lines.joined(separator: "\n")
    }
}
