import Access
import Encoding
import Factors
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Sealing
import Sessions
import Web

extension AccountRoutes {
    /// Shows the page of the mailed link. It changes nothing, because programs that scan mails open links.
    @Sendable
    func showNewPassword(_ request: Request, _ context: WebContext) async throws -> Response {
        let frame = endpoints.frame(request, context)
        guard let recovery = try await recovery(try endpoints.query(request)["ticket"])
        else { return invalidRecovery.response(in: frame) }
        return newPasswordPage(recovery).response(in: frame)
    }

    /// Sets a new password, for a person who reads the mailbox and has the second factor or a recovery code. All sessions end. An account
    /// without any second factor needs no code, because its next sign-in sets one up. A person who signs in only with the provider of a
    /// tenant sets none.
    ///
    /// After the first 5 wrong codes, the person gets a mail, because somebody has the link.
    @Sendable
    func setNewPassword(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await endpoints.ownForm(request, upTo: AccountEndpoints.longestForm)
        let (frame, now, keyring) = (endpoints.frame(request, context), endpoints.now(), endpoints.keyring)
        guard FormToken.isRight(form[FormToken.field], for: form["ticket"] ?? "", with: keyring) else { throw ErrorPage.formNotCurrent }
        guard let recovery = try await recovery(form["ticket"]), recovery.factors.isEmpty || recovery.factors.takesCodes
        else { return invalidRecovery.response(in: frame) }
        let person = recovery.person
        let chosen: Password
        do throws(Password.Refusal) {
            chosen = try Password(chosen: form["password"] ?? "", address: person.email, products: [AccountEndpoints.product])
        } catch { return newPasswordPage(recovery, password: error.text).response(in: frame) }

        if let wait = limits.take(context.record) { return tooMany(recovery, wait, in: frame) }
        var use: (kind: SecondFactors.Kind, statement: SQL)?
        if !recovery.factors.isEmpty {
            let (attempts, wait) = try await endpoints.reserveCode(of: person.id, isRecovery: true, at: now)
            if let wait { return tooMany(recovery, Int(wait.rounded(.up)), in: frame) }
            use = try recovery.factors.use(of: form["code"] ?? "", by: person.id, with: keyring, at: now)
            guard use != nil else {
                let mails =
                    attempts == Person.Attempt.free
                    ? try endpoints.notice(.recoveryCodesGuessed, of: person, in: frame, from: context, at: now) : []
                if !mails.isEmpty { _ = try await endpoints.people.run(mails) }
                context.record.note(outcome: "wrong_code")
                return newPasswordPage(recovery, code: .codeIsWrong).response(in: frame)
            }
        }
        // It is asked after the code, so that a mailbox alone does not show who is a member.
        guard try await !endpoints.mustUseProvider(person, hasPasskey: false) else {
            context.record.note(outcome: "provider_required")
            throw ErrorPage.onlyOrganizationSignsIn
        }
        let (hash, code, facts) = (try await endpoints.hashing.hash(chosen), use, context.record.current)
        let origin = AuditEvent.Origin(actor: person.id.description, address: facts.address, requestID: facts.requestID)
        let isSet = try await endpoints.people.transaction { db in
            _ = try await db.run(Person.lock(person.id))
            guard let current = try await db.run(Person.find(person.id)).first(Person.init), recovery.ticket.isCurrent(for: current)
            else { return false }
            if let code {
                guard try await db.run(code.statement).affected == 1 else { return false }
            } else {
                // A factor may have been added since the page was shown.
                guard try await db.secondFactors(of: person.id).isEmpty else { return false }
            }
            _ = try await db.run(
                [
                    Person.setPassword(hash.text, of: person.id, keyring: keyring, at: now),
                    Person.setAddress(current.email, of: person.id, at: now),
                    Person.resetFailures(.code, of: person.id),
                    Person.resetFailures(.recovery, of: person.id),
                    PersonSession.endOthers(of: person.id, than: nil, .passwordChanged, at: now),
                ] + (try endpoints.notice(.passwordChanged, of: person, in: frame, from: context, at: now))
                    + (code?.kind == .recoveryCode
                        ? try endpoints.notice(.recoveryCodeUsed, of: person, in: frame, from: context, at: now) : []) + [
                        try AuditEvent.insert("setNewPassword", of: person.id.description, owner: .platform, by: origin, at: now)
                    ])
            return true
        }
        guard isSet else { return invalidRecovery.response(in: frame) }
        limits.giveBack(context.record)
        var page = AccountPage(.passwordIsChanged)
        page.links = [.init(text: .signInToYourAccount, path: "/account/sign-in")]
        return page.response(in: frame)
    }
}

// MARK: The link

extension AccountRoutes {
    private struct Recovery: Sendable {
        let ticket: MailTicket
        let sealed: String
        let person: Person
        let factors: SecondFactors
    }

    /// The account of a link. A text that this server has not sealed costs no statement.
    private func recovery(_ sealed: String?) async throws -> Recovery? {
        guard let sealed, let ticket = MailTicket(.recovery, opening: sealed, with: endpoints.keyring, at: endpoints.now())
        else { return nil }
        guard let (person, factors) = try await endpoints.people.repeatable.personWithFactors(ticket.person),
            ticket.isCurrent(for: person)
        else { return nil }
        return Recovery(ticket: ticket, sealed: sealed, person: person, factors: factors)
    }

    private var invalidRecovery: AccountPage {
        var page = Self.invalidLink
        page.links = [.init(text: .recoverAccount, path: "/account/recovery")]
        return page
    }

    private func newPasswordPage(_ recovery: Recovery, password: Text? = nil, code: Text? = nil) -> AccountPage {
        var page = AccountPage(.setNewPassword)
        page.referrerPolicy = "strict-origin"
        guard recovery.factors.isEmpty || recovery.factors.takesCodes else {
            // Only passkeys: they sign in without a password.
            page.details = [.passkeySignsIn, .lostYourPasskey]
            page.links = [.init(text: .usePasskey, path: "/account/sign-in/passkey")]
            return page
        }
        var address = AccountForm.Field.email(recovery.person.email)
        address.isFixed = true
        var fields = [address, AccountForm.Field.newPassword(problem: password)]
        if !recovery.factors.isEmpty {
            var field = AccountForm.Field.code()
            (field.hint, field.problem) = (.codeOfAppOrRecovery, code)
            fields.append(field)
        }
        page.details = recovery.factors.isEmpty ? [.otherSignInsEnd] : [.otherSignInsEnd, .lostAllFactors]
        page.forms = [
            AccountForm(
                "/account/recovery/password", FormToken(for: recovery.sealed, with: endpoints.keyring), fields: fields,
                hidden: [("ticket", recovery.sealed)], button: .save)
        ]
        if password != nil || code != nil { page.status = .badRequest }
        return page
    }

    private func tooMany(_ recovery: Recovery, _ seconds: Int, in frame: PageFrame) -> Response {
        var page = newPasswordPage(recovery)
        (page.problem, page.values[.wait], page.status) = (.tooManyAttempts, frame.language.wait(seconds), .tooManyRequests)
        var response = page.response(in: frame)
        response.headers[.retryAfter] = "\(seconds)"
        return response
    }
}
