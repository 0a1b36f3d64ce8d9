/// The result of the onboarding, and the next commands.
struct OnboardingResult {
    let tenant: JSON
    let application: JSON
    let connection: JSON
    /// Nil if no person signs in to the application.
    let test: LoginTest?

    /// Combines the resources into a result.
    /// - Parameter clientSecret: the client secret of the application, if this run registered it.
    /// - Throws: ``Failure`` if a response lacks a required member.
    init(tenant: JSON, application: JSON, connection: JSON, clientSecret: String? = nil) throws(Failure) {
        (self.tenant, self.application, self.connection) = (tenant, application, connection)
        test = try LoginTest(tenant: tenant, application: application, clientSecret: clientSecret)
    }

    var json: JSON {
        .given([
            "tenant": tenant, "application": application, "connection": connection == .null ? nil : connection,
            "test_login_url": JSON(test?.url), "test_code_verifier": JSON(test?.verifier),
        ])
    }

    var text: String {
        var rows = [
            ["Tenant", tenant["slug"]?.text ?? ""],
            ["Issuer", tenant["issuer"]?.text ?? ""],
            ["Client ID", application["id"]?.text ?? ""],
            ["Connection", connection["id"]?.text ?? "shared"],
        ]
        if let test { rows.append(["Test login", test.url]) }
        return "\n" + Table(rows: rows).text
    }

    /// The commands to run next.
    /// - Parameter isTested: whether the test login was successful.
    func nextSteps(isTested: Bool) -> String {
        let slug = (tenant["slug"]?.text ?? "").printable
        var lines = ["", "Continue with:"]
        if test != nil, !isTested {
            let secret = LoginTest.hasSecret(application) ? " --secret-file FILE" : ""
            lines.append("  espalierctl applications test-login \((application["id"]?.text ?? "").printable) --tenant \(slug)\(secret)")
        }
        if connection != .null { lines.append("  espalierctl connections check --tenant \(slug)") }
        lines += [
            "  espalierctl api-keys issue --tenant \(slug) --name … --scope …",
            "  espalierctl webhooks create https://… --tenant \(slug) --event user.created",
            "  espalierctl usage show --tenant \(slug)",
        ]
        return lines.joined(separator: "\n")
    }
}
