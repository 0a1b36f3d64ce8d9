import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

extension SimulatedApple {
    /// `GET /auth/authorize`: returns the page. If a header names the person, it immediately returns the result of the
    /// page's button.
    func authorize(_ request: Request, context: SimulatorContext) async throws -> Response {
        let query = request.uri.query ?? ""
        guard let form = try? Form(query) else {
            return refused(.init(.invalidRequest, "a parameter is badly encoded or occurs twice"))
        }
        return try await answer(.authorize, clientID: form["client_id"], context: context) { faults in
            let asked: AuthorizeRequest
            do throws(AuthorizeRequest.Refusal) { asked = try read(form) } catch { return refused(error) }
            if let decision = try Decision(request.headers) { return try await conclude(asked, decision, faults: faults) }
            return try page(asked, form)
        }
    }

    /// `POST /auth/authorize`: the sheet's button was pressed.
    func pressButton(_ request: Request, context: SimulatorContext) async throws -> Response {
        guard let form = try await form(request) else { return refused(.init(.invalidRequest, "the body is not a form")) }
        return try await answer(.authorize, clientID: form["client_id"], context: context) { faults in
            let asked: AuthorizeRequest
            do throws(AuthorizeRequest.Refusal) { asked = try read(form) } catch { return refused(error) }
            return try await conclude(asked, Decision(form), faults: faults)
        }
    }

    private func read(_ form: Form) throws(AuthorizeRequest.Refusal) -> AuthorizeRequest {
        try state.withLock { state throws(AuthorizeRequest.Refusal) in
            try AuthorizeRequest(form, in: state.registry, allowsLoopback: configuration.allowsLoopbackRedirects)
        }
    }

    private func refused(_ refusal: AuthorizeRequest.Refusal) -> Response {
        note(refusal.code.rawValue, refusal.reason)
        var response = Response.page(Pages.refusal(refusal), status: .badRequest)
        response.headers[.simulatorReason] = refusal.reason
        return response
    }

    private func page(_ asked: AuthorizeRequest, _ form: Form) throws -> Response {
        guard let chosen = form["simulator_person"] else {
            let people = state.withLock { state in state.registry.peopleInOrder.prefix(50).compactMap { state.registry.people[$0] } }
            return .page(Pages.people(people, for: asked, carrying: form))
        }
        guard case .known(let name) = try Decision.who(chosen) else {
            return .page(Pages.sheet(nil, hasConsented: false, for: asked, carrying: form))
        }
        let (person, hasConsented) = state.withLock { state in
            let person = state.registry.person(named: name)
            return (person, state.grants.consent(of: person.id, to: asked.client.team) != nil)
        }
        return .page(Pages.sheet(person, hasConsented: hasConsented, for: asked, carrying: form))
    }

    /// Records the person's decision and returns the response for the application.
    private func conclude(_ asked: AuthorizeRequest, _ decision: Decision, faults: [Fault.Effect]) async throws -> Response {
        for case .error(let code) in faults { return AuthorizeAnswer(to: asked, [(name: "error", value: code)]).response }
        guard case .sign(let who, let sheet) = decision else {
            return AuthorizeAnswer(to: asked, [(name: "error", value: "user_cancelled_authorize")]).response
        }
        let (code, consent, isFirst) = state.withLock { state in
            let (consent, isFirst) = state.consent(of: who, to: asked.client.team, sheet, scopes: asked.scopes)
            let code = Grants.Code(
                clientID: asked.client.id, redirectURI: asked.redirectURI, nonce: asked.nonce, consent: consent, realUserStatus: nil,
                expires: now + Grants.codeLifetime)
            return (state.grants.issue(code, at: now), consent, isFirst)
        }
        var fields = [(name: "code", value: code)]
        if asked.wantsIDToken {
            let idToken = IDToken(
                issuer: configuration.issuer, clientID: asked.client.id, consent: consent, nonce: asked.nonce, code: code,
                transferSubject: state.withLock { $0.transferSubject(of: consent, clientID: asked.client.id, at: now) })
            fields.append(("id_token", try await signingKeys.sign(idToken.claims(at: now), faults: faults)))
        }
        if isFirst, let user = consent.userField { fields.append(("user", user)) }
        for case .user(let hostile) in faults {
            fields.removeAll { $0.name == "user" }
            fields.append(("user", hostile))
        }
        return AuthorizeAnswer(to: asked, fields).response
    }
}

extension SimulatedApple.State {
    /// Returns the person's consent to the team, and records it now if there is none yet.
    mutating func consent(
        of who: Decision.Who, to team: Team.ID, _ sheet: Decision.Sheet, scopes: Set<Scope>
    ) -> (Grants.Consent, isFirst: Bool) {
        let person: Person
        switch who {
        case .known(let name): person = registry.person(named: name)
        case .new:
            let name = sheet.name.map { "\($0.given) \($0.family)" } ?? "New Person"
            person = Person(newcomer: name)
        }
        registry.put(person)
        if let consent = grants.consent(of: person.id, to: team) { return (consent, false) }
        let name = sheet.name ?? (person.givenName, person.familyName)
        let consent = grants.consent(
            of: person, to: team, givenName: name.given, familyName: name.family, hidesEmail: sheet.hidesEmail, scopes: scopes)
        return (consent, true)
    }
}

extension Registry {
    /// Returns the person with this name or ID, registered or created from the name.
    func person(named name: String) -> Person {
        people[Person.id(of: name)] ?? Person(named: name)
    }
}

extension Person {
    /// Creates a new person, regardless of the name.
    init(newcomer name: String) {
        self.init(named: name, id: "person-\((0..<8).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal)")
    }
}

extension Grants.Consent {
    /// The `user` field: a JSON string with the requested data; nil if nothing was requested.
    fileprivate var userField: String? {
        var user: [String: JSONValue] = [:]
        if scopes.contains(.name) { user["name"] = ["firstName": .string(givenName), "lastName": .string(familyName)] }
        if scopes.contains(.email) { user["email"] = email.map { .string($0) } }
        return user.isEmpty ? nil : JSONValue.object(user).text
    }
}
