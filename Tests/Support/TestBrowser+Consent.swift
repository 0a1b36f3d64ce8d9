import NIOHTTP1

extension TestBrowser.Answer {
    /// Whether it is the page that asks about an application of a third party.
    /// - Parameter setsCookies: whether it is the response to a sign-in with Apple.
    package func asksForConsent(setsCookies: Bool = false) -> Bool {
        isPage(200, setsCookies: setsCookies) && body.contains("/oauth2/consent") && body.contains("belongs to a third party")
    }
}

extension TestBrowser {
    /// A button of the page that asks about an application of a third party.
    package enum Decision: String, Sendable {
        case allow = ""
        case refuse = "/refusal"
        case otherAccount = "/sign-in"
    }

    /// Presses a button of the page.
    /// - Parameter fields: fields of the form with other values; nil leaves one out.
    package func decide(
        _ decision: Decision, on page: Answer, replacing fields: [String: String?] = [:], headers: [(String, String)] = []
    ) async throws -> Answer {
        guard var form = AppleForm(html: page.body) else { throw NoCode(description: "no page: \(page.status) \(page.body)") }
        for (name, value) in fields { form[name] = value }
        let parts = form.action.split(separator: "?", maxSplits: 1)
        let action = parts[0] + decision.rawValue + (parts.count > 1 ? "?\(parts[1])" : "")
        return try await post(TestPlatform.publicURL + action, form: form.fields, headers: headers)
    }

    /// Signs in with Apple, and allows the application if a page asks.
    package func signInAndAllow(_ request: Request, person: String = "new") async throws -> Answer {
        let answer = try await signIn(request, person: person)
        return answer.asksForConsent(setsCookies: true) ? try await decide(.allow, on: answer) : answer
    }
}
