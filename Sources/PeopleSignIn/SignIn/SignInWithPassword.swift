import Access
import Encoding
import Factors
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Mail
import Pages
import People
import PeopleSSO
import Postgres
import Sealing
import Sessions
import Web

extension PersonSignInRoutes {
    /// Checks the password. A right one leads to the second factor, and never to a session.
    ///
    /// An address without an account gets the same response after the same work. The limits come first: of the network, and of the person,
    /// whose attempt is counted before its check.
    @Sendable
    func signInWithPassword(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        let (now, frame) = (endpoints.now(), endpoints.frame(request, context))
        guard let email = form["email"].flatMap({ MailAddress($0) })?.address
        else { return addressPage(step, email: "", problem: .enterAnAddress).response(in: frame) }
        func refused(_ outcome: String, wait: TimeInterval? = nil) -> Response {
            note("password refused", outcome, context)
            let seconds = wait.map { max(1, Int($0.rounded(.up))) }
            var response = passwordPage(
                step, email: email, problem: seconds == nil ? .addressOrPasswordIsWrong : .tooManyAttempts,
                wait: seconds.map(frame.language.wait)
            ).response(in: frame)
            if let seconds { response.headers[.retryAfter] = "\(seconds)" }
            return response
        }
        if let wait = limits.take(context.record) { return refused("network_limited", wait: TimeInterval(wait)) }
        let row = try await endpoints.people.repeatable.run(Person.find(email: email)).first { $0 }
        let person = try row.map(Person.init)
        if let wait = try await reserve(person, row, email: email, request, at: now) { return refused("person_limited", wait: wait) }
        guard let password = form["password"].flatMap({ Password(typed: $0) }) else { return refused("wrong_password") }
        let stored = try person.flatMap { try storedHash(row, of: $0) }
        guard case .right(let replacement) = try await endpoints.hashing.verify(password, against: stored), let person
        else { return refused("wrong_password") }

        limits.giveBack(context.record)
        limits.giveBackKnown(person.id)
        _ = try await endpoints.people.run(
            [Person.resetFailures(.password, of: person.id)]
                + (replacement.map { [Person.renewHash($0.text, of: person.id, keyring: endpoints.keyring)] } ?? []))
        guard try await !endpoints.mustUseProvider(person, hasPasskey: false) else {
            note("password refused", "provider_required", context)
            let provider = try await AddressProvider.find(email, in: endpoints.people.repeatable)
            return try await providerPage(step, email: email, of: provider, problem: .onlyYourOrganization).response(in: frame)
        }
        let factors = try await endpoints.people.repeatable.secondFactors(of: person.id)
        let stage: StepTicket.Stage =
            factors.isEmpty
            ? .enrollment(.person(person.id), key: AuthenticatorKey.random().bytes) : .password(person.id)
        let next = StepTicket(stage, next: step.next, at: now)
        return .seeOther(
            factors.isEmpty ? "/account/sign-in/authenticator" : "/account/sign-in/code", cookies: [endpoints.cookie(next)])
    }

    /// Counts the attempt for the person, or for the address without one.
    /// - Returns: How long the person must wait, in seconds. Nil if the attempt is permitted.
    private func reserve(
        _ person: Person?, _ row: Row?, email: String, _ request: Request, at now: Date
    ) async throws -> TimeInterval? {
        if let person, KnownBrowser.isKnown(person.id, passwordChangedAt: person.passwordChangedAt, in: request, endpoints),
            limits.takeKnown(person.id)
        {
            return nil
        }
        // An address without an account costs the same statement.
        let counted = try await endpoints.people.run(Person.reserveAttempt(.password, of: person?.id ?? ID(at: now), at: now))
        guard person != nil, let row else {
            let key = endpoints.keyring.digest(Array(email.asciiLowercased.utf8), purpose: "unknown_address")
            let wait = limits.reserveStranger(key, at: now)
            return wait > 0 ? wait : nil
        }
        guard counted.isEmpty else { return nil }
        let wait = Person.Attempt.password.wait(
            after: try row.get("password_failures"), lastAt: try row.get("password_failed_at"), at: now)
        // Another attempt may have been counted since the row was read.
        return max(1, wait)
    }

    private func storedHash(_ row: Row?, of person: Person) throws -> PasswordHash? {
        guard let sealed = try row?.get("sealed_password", as: [UInt8]?.self) else { return nil }
        return PasswordHash(
            Secret(bytes: try endpoints.keyring.open(Sealed(bytes: sealed), in: Person.passwordContext(person.id))))
    }

    /// Logs a refused factor. The line has no address, because a person sometimes types a password there.
    func note(_ message: Logger.Message, _ outcome: String, _ context: WebContext) {
        context.record.note(outcome: outcome)
        endpoints.metrics.count(.person, outcome)
        endpoints.logger.notice(
            message,
            metadata: [
                "request_id": "\(context.record.current.requestID)", "outcome": "\(outcome)",
                "address": "\(context.record.current.address ?? "unknown")",
            ])
    }
}
