import Access
import Encoding
import Factors
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Pages
import Passkeys
import People
import Postgres
import Sessions
import Web

extension PersonSignInRoutes {
    /// Verifies a passkey, and starts the session. The authenticator has verified the person, so it counts as two factors.
    ///
    /// The challenge is used up first, by every response. Each refusal has the same text.
    @Sendable
    func signInWithPasskey(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        let now = endpoints.now()
        func refused(_ outcome: String, _ text: Text = .passkeyIsNotAccepted) throws -> Response {
            note("passkey refused", outcome, context)
            return try passkeyPage(step, problem: text, request, context)
        }
        // Each response uses up a row, so the network pays for it.
        if let wait = limits.take(context.record) {
            note("passkey refused", "network_limited", context)
            let frame = endpoints.frame(request, context)
            var page = AccountPage(.usePasskey, values: [.wait: frame.language.wait(wait)])
            (page.problem, page.status) = (.tooManyAttempts, .tooManyRequests)
            page.links = [.init(text: .usePasskey, path: "/account/sign-in/passkey")]
            var response = page.response(in: frame)
            response.headers[.retryAfter] = "\(wait)"
            return response
        }
        guard let relyingParty = endpoints.relyingParty, let challenge = step.challenge, try await endpoints.useUp(challenge)
        else { return try refused("no_challenge", .passkeyWasNotConfirmed) }
        guard let response = AssertionResponse(form.fields), let handle = response.userHandle,
            let id = PersonPasskey.person(of: handle)
        else { return try refused("malformed_passkey") }
        // The account of the password, if there was one.
        if case .password(let known) = step.stage, known != id { return try refused("other_account") }
        let (account, credential) = try await endpoints.people.repeatable.run(
            Person.find(id), PersonPasskey.find(credential: response.credentialID, of: id))
        guard let person = try account.first(Person.init), let stored = try credential.first(PersonPasskey.init)
        else { return try refused("unknown_passkey") }
        let used: Passkey
        do {
            used = try relyingParty.verify(
                response, with: stored.passkey, of: .named(userHandle: PersonPasskey.userHandle(of: id)), challenge: challenge, at: now)
        } catch let refusal {
            if case .possibleClone(let old, let new) = refusal { try await report(old, new, of: stored, person, context, at: now) }
            return try refused("passkey_not_verified")
        }
        guard try await !endpoints.mustUseProvider(person, hasPasskey: true)
        else { return try refused("provider_required", .onlyYourOrganization) }
        let session = try NewSession(
            of: id, passwordChangedAt: person.passwordChangedAt, methods: [stored.isBackupEligible ? "swk" : "hwk", "user", "mfa"],
            action: "signInWithPasskey", request, context, endpoints, at: now)
        do {
            try await endpoints.people.transaction { db in
                let use = stored.use(signCount: Int64(used.signCount), isBackedUp: used.isBackedUp, at: now)
                guard try await db.run(use).affected == 1 else { throw CounterChanged() }
                let notice = try await endpoints.noticeOfNewNetwork(id, request, context, in: db, at: now)
                _ = try await db.run([Person.resetFailures(.password, of: id)] + notice + session.statements)
            }
        } catch is CounterChanged { return try refused("counter_changed") }
        limits.giveBack(context.record)
        endpoints.metrics.count(.person, "ok")
        return .seeOther(step.next.path, cookies: session.cookies)
    }

    /// Records that somebody may have copied an authenticator. The saved counter stays.
    private func report(
        _ old: UInt32, _ new: UInt32, of stored: PersonPasskey, _ person: Person, _ context: WebContext, at now: Date
    ) async throws {
        struct Clone: Encodable {
            let passkey: String
            let stored_count, received_count: UInt32
        }
        let facts = context.record.current
        let origin = AuditEvent.Origin(actor: "system", address: facts.address, requestID: facts.requestID)
        _ = try await endpoints.people.run(
            try AuditEvent.insert(
                "passkey.possible_clone", of: person.id.description, owner: .platform, by: origin,
                after: Clone(passkey: stored.id.description, stored_count: old, received_count: new), at: now))
    }
}

/// Rolls the transaction back.
private struct CounterChanged: Error {}
