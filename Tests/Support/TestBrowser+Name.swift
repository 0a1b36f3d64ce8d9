extension TestBrowser.Answer {
    /// Whether the response is the page that asks for a name.
    /// - Parameter setsCookies: whether it may set cookies.
    package func asksForName(_ status: Int = 200, setsCookies: Bool = false) -> Bool {
        isPage(status, setsCookies: setsCookies) && body.contains("name=\"given_name\"") && body.contains("name=\"family_name\"")
    }
}

extension TestBrowser {
    /// Signs in with Apple, which sends no name: the page that asks for it, if the application requires one.
    package func signInWithoutName(
        _ request: Request, person: String = "new", changing changes: [String: String?] = [:]
    ) async throws -> Answer {
        var form = try await atApple(try await get(request.authorizeURL(changing: changes)), person: person)
        form["user"] = nil
        return try await callback(form)
    }

    /// Enters a name on the page that asks for it, and presses the first button.
    /// - Parameters:
    ///   - path: the path of another button, such as `/refusal`.
    ///   - fields: fields of the form with other values; nil leaves one out.
    package func give(
        _ given: String, _ family: String = "", on page: Answer, path: String = "", replacing fields: [String: String?] = [:],
        headers: [(String, String)] = []
    ) async throws -> Answer {
        guard var form = AppleForm(html: page.body) else { throw NoCode(description: "no page: \(page.status) \(page.body)") }
        (form["given_name"], form["family_name"]) = (given, family)
        for (name, value) in fields { form[name] = value }
        let parts = form.action.split(separator: "?", maxSplits: 1)
        let action = parts[0] + path + (parts.count > 1 ? "?\(parts[1])" : "")
        return try await post(TestPlatform.publicURL + action, form: form.fields, headers: headers)
    }
}
