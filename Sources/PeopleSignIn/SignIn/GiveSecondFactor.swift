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
    /// The first 5 wrong codes are in a mail to the person, because somebody knows the password.
    @Sendable
    func giveSecondFactor(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        guard case .password(let id) = step.stage else { return .seeOther("/account/sign-in") }
        let (now, frame) = (endpoints.now(), endpoints.frame(request, context))
        guard let (person, factors) = try await endpoints.people.repeatable.personWithFactors(id), step.isCurrent(for: person)
        else { return .seeOther("/account/sign-in") }
        func refused(_ outcome: String, wait: TimeInterval? = nil) -> Response {
            note("second factor refused", outcome, context)
            let seconds = wait.map { max(1, Int($0.rounded(.up))) }
            var response = codePage(
                step, factors, problem: seconds == nil ? .codeIsWrong : .tooManyAttempts, wait: seconds.map(frame.language.wait)
            )
            .response(in: frame)
            if let seconds { response.headers[.retryAfter] = "\(seconds)" }
            return response
        }
        if let wait = limits.take(context.record) { return refused("network_limited", wait: TimeInterval(wait)) }
        let (attempts, wait) = try await endpoints.reserveCode(of: id, at: now)
        if let wait { return refused("person_limited", wait: wait) }
        guard let use = try factors.use(of: form["code"] ?? "", by: id, with: endpoints.keyring, at: now) else {
            let mails =
                attempts == Person.Attempt.free ? try endpoints.notice(.codesGuessed, of: person, in: frame, from: context, at: now) : []
            if !mails.isEmpty { _ = try await endpoints.people.run(mails) }
            return refused("wrong_code")
        }
        let session = try NewSession(
            of: id, passwordChangedAt: person.passwordChangedAt, methods: ["pwd", "otp", "mfa"], factor: use.kind,
            action: "giveSecondFactor",
            request, context, endpoints, at: now)
        do {
            try await endpoints.people.transaction { db in
                guard try await db.run(use.statement).affected == 1 else { throw CodeUsed() }
                let notice =
                    try await endpoints.noticeOfNewNetwork(id, request, context, in: db, at: now)
                    + (use.kind == .recoveryCode ? endpoints.notice(.recoveryCodeUsed, of: person, in: frame, from: context, at: now) : [])
                _ = try await db.run([Person.resetFailures(.code, of: id)] + notice + session.statements)
            }
        } catch is CodeUsed { return refused("used_code") }
        limits.giveBack(context.record)
        endpoints.metrics.count(.person, "ok")
        let tellsOfCode = use.kind == .recoveryCode && step.next == .account
        return .seeOther(step.next.path + (tellsOfCode ? "?done=\(ReturnPath.recoveryCodeUsed)" : ""), cookies: session.cookies)
    }
}

/// Rolls the transaction back.
private struct CodeUsed: Error {}
