import Access
import Encoding
import Factors
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Pages
import People
import Postgres
import Sealing
import Sessions
import Web

extension PersonSignInRoutes {
    /// Checks the code of an authenticator app, or a recovery code, and starts the session. Each code works once.
    ///
    /// The attempt is counted before its check. Then not even many at the same time are more than five.
    @Sendable
    func giveSecondFactor(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        guard case .password(let id) = step.stage else { return .seeOther("/account/sign-in") }
        let (now, frame) = (endpoints.now(), endpoints.frame(request, context))
        let rows = try await endpoints.people.repeatable.run(SecondFactors.find(of: id) + [Person.find(id)])
        guard let person = try rows[3].first(Person.init), step.isCurrent(for: person) else { return .seeOther("/account/sign-in") }
        let factors = try SecondFactors(rows)
        func refused(_ outcome: String, wait: TimeInterval? = nil) -> Response {
            note("second factor refused", outcome, context)
            let seconds = wait.map { max(1, Int($0.rounded(.up))) }
            var response = codePage(step, factors, problem: seconds == nil ? .codeIsWrong : .tooManyAttempts, wait: seconds)
                .response(in: frame)
            if let seconds { response.headers[.retryAfter] = "\(seconds)" }
            return response
        }
        if let wait = limits.take(context.record) { return refused("network_limited", wait: TimeInterval(wait)) }
        guard try await !endpoints.people.run(Person.reserveAttempt(.code, of: id, at: now)).isEmpty
        else { return refused("person_limited", wait: Person.Attempt.window) }
        guard let use = try use(of: form["code"] ?? "", by: id, factors, at: now) else { return refused("wrong_code") }
        let session = try NewSession(
            of: id, methods: ["pwd", "otp", "mfa"], action: "giveSecondFactor", request, context, endpoints, at: now)
        do {
            try await endpoints.people.transaction { db in
                guard try await db.run(use).affected == 1 else { throw CodeUsed() }
                _ = try await db.run([Person.resetFailures(.code, of: id)] + session.statements)
            }
        } catch is CodeUsed { return refused("used_code") }
        limits.giveBack(context.record)
        endpoints.metrics.count(.person, "ok")
        return .seeOther(step.next.path, cookies: session.cookies)
    }

    /// The statement that uses a typed code up. Nil if the code is wrong.
    private func use(of typed: String, by person: ID<Person>, _ factors: SecondFactors, at now: Date) throws -> SQL? {
        if let totp = factors.totp, let key = AuthenticatorKey(bytes: try totp.secret(endpoints.keyring).revealBytes()),
            let step = key.step(of: typed, after: totp.lastStep, at: now)
        {
            return PersonTOTP.use(step: step, of: totp.id, at: now)
        }
        guard let code = RecoveryCode(typed),
            let place = code.position(in: factors.recoveryCodes.map(\.digest), for: person.uuid, with: endpoints.keyring)
        else { return nil }
        return factors.recoveryCodes[place].use(of: person, at: now)
    }
}

/// Rolls the transaction back.
private struct CodeUsed: Error {}
