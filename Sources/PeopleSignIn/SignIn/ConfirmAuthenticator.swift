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

extension PersonSignInRoutes {
    /// Saves the new second factor after its first right code, starts the session, and shows the recovery codes once. For an invitation, one
    /// transaction also creates the account and the membership. So there is never an account without a second factor.
    @Sendable
    func confirmAuthenticator(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        let (now, frame) = (endpoints.now(), endpoints.frame(request, context))
        guard case .enrollment(let enrollee, let bytes) = step.stage, let key = AuthenticatorKey(bytes: bytes),
            let account = try await name(of: enrollee)
        else { return .seeOther("/account/sign-in") }
        guard let used = form["code"].flatMap({ key.step(of: $0, after: nil, at: now) })
        else { return authenticatorPage(step, key, account: account, problem: .codeIsWrong).response(in: frame) }

        let codes = RecoveryCode.makeSet()
        let (id, passwordChangedAt): (ID<Person>, Date?)
        switch enrollee {
        case .person(let person):
            let row = try await endpoints.people.repeatable.run(Person.find(person)).first(Person.init)
            (id, passwordChangedAt) = (person, row?.passwordChangedAt)
        case .invited: (id, passwordChangedAt) = (ID(at: now), now)
        }
        let session = try NewSession(
            of: id, passwordChangedAt: passwordChangedAt, methods: ["pwd", "otp", "mfa"], action: "confirmAuthenticator", request, context,
            endpoints, at: now)
        let keyring = endpoints.keyring
        let factor =
            [PersonTOTP.insert(ID(at: now), of: id, Secret(bytes: bytes), usedAt: used, keyring: keyring, at: now)]
            + StoredRecoveryCode.replace(of: id, digests: codes.map { $0.digest(for: id.uuid, with: keyring) }, at: now)
        do {
            switch enrollee {
            case .person:
                try await endpoints.people.transaction { db in
                    // A factor may have been added since the password was given.
                    guard let (person, factors) = try await db.personWithFactors(id), step.isCurrent(for: person), factors.isEmpty
                    else { throw Outdated() }
                    let notice = try endpoints.notice(.authenticatorAdded, of: person, in: frame, from: context, at: now)
                    _ = try await db.run(factor + notice + session.statements)
                }
            case .invited(let token, let name, let hash):
                guard let open = try await openInvitation(token) else { throw ErrorPage.invitationOver }
                try await endpoints.people.transaction { db in
                    // The one that has not proved the address loses it to the reader of the mailbox.
                    if open.invitation.mail != nil,
                        let other = try await db.run(Person.find(email: open.invitation.email)).first(Person.init)
                    {
                        _ = try await db.run(Membership.lockAll(of: open.owner))
                        guard try await db.run(Person.takeAddress(from: other.id, at: now)).affected == 1 else { throw Outdated() }
                    }
                    _ = try await db.run(
                        [
                            // A copied link proves no mailbox.
                            Person.insert(id, name: name, email: open.invitation.email, isProved: open.invitation.mail != nil, at: now),
                            Person.setPassword(hash, of: id, keyring: keyring, at: now),
                        ] + factor + session.start)
                    try await open.invitation.join(id, owner: open.owner, by: session.origin, in: db, at: now)
                    _ = try await db.run(session.event)
                }
            }
        } catch is Outdated {
            return .seeOther("/account/sign-in")
        } catch is Invitation.Refusal {
            throw ErrorPage.invitationOver
        } catch let error as DatabaseError where error.constraint == "person_email" || error.constraint == "person_totp_one" {
            // Another request was faster: the account exists, or has its factor.
            return .seeOther("/account/sign-in")
        }
        endpoints.metrics.count(.person, "ok")
        return recoveryCodesPage(codes, next: step.next).response(in: frame).setting(session.cookies)
    }

    private func recoveryCodesPage(_ codes: [RecoveryCode], next: ReturnPath) -> AccountPage {
        var page = AccountPage(.recoveryCodes)
        (page.details, page.codes) = ([.keepTheCodes], codes.map { $0.text.reveal() })
        page.links = [.init(text: .continueToAccount, path: next.path)]
        return page
    }
}

/// Rolls the transaction back.
private struct Outdated: Error {}
