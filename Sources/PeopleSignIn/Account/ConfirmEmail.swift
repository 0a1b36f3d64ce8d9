import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Sessions
import Web

extension AccountRoutes {
    /// Shows the page of the mailed link, with the account that asked for it. It changes nothing, because programs that scan mails open links.
    @Sendable
    func showNewEmail(_ request: Request, _ context: WebContext) async throws -> Response {
        let (frame, sealed) = (endpoints.frame(request, context), try endpoints.query(request)["ticket"])
        guard let sealed, let ticket = MailTicket(.newAddress, opening: sealed, with: endpoints.keyring, at: endpoints.now())
        else { return Self.invalidLink.leadingBack().response(in: frame) }
        let signedIn = try await endpoints.account(request, context)
        let account = account(of: ticket, in: signedIn)
        if let account, !ticket.isCurrent(for: account.person) { return Self.invalidLink.leadingBack().response(in: frame) }
        var page = AccountPage(.confirmAddress, values: [.user: ticket.earlier])
        page.details = [.addressWasAskedFor]
        if let other = signedIn?.person, other.id != ticket.person {
            page.details.append(.browserHasAnotherAccount)
            page.values[.address] = other.email
        }
        page.facts = [.init(.emailAddress, ticket.earlier), .init(.newAddress, ticket.address)]
        page.forms = [
            AccountForm(
                "/account/email/confirmation", account?.formToken ?? FormToken(for: sealed, with: endpoints.keyring),
                hidden: [("ticket", sealed)], button: account == nil ? .signInToYourAccount : .confirm)
        ]
        page.referrerPolicy = "strict-origin"
        return page.response(in: frame)
    }

    /// Gives the account the address of the mail. An account that has not proved the address loses it. The earlier address gets a notice.
    ///
    /// The browser has a session of the account. Otherwise the owner of the mailbox, who has another account or none, would give the address
    /// to the account of an attacker who asked for it.
    @Sendable
    func confirmEmail(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await endpoints.ownForm(request, upTo: AccountEndpoints.longestForm)
        let (frame, now, sealed) = (endpoints.frame(request, context), endpoints.now(), form["ticket"] ?? "")
        guard let ticket = MailTicket(.newAddress, opening: sealed, with: endpoints.keyring, at: now)
        else { return Self.invalidLink.leadingBack().response(in: frame) }
        let account = account(of: ticket, in: try await endpoints.account(request, context))
        guard FormToken.isRight(form[FormToken.field], for: account?.session.id.description ?? sealed, with: endpoints.keyring)
        else { throw ErrorPage.formNotCurrent }
        try account?.requireOwnAddress()
        guard let origin = account?.origin else {
            var step = StepTicket(.start, next: ReturnPath(newAddress: sealed), at: now)
            step.email = ticket.earlier
            return .seeOther("/account/sign-in", cookies: [endpoints.cookie(step)])
        }
        do {
            let isChanged = try await endpoints.people.transaction { db in
                _ = try await db.run(Person.lock(ticket.person))
                let (own, others) = try await db.run(Person.find(ticket.person), Person.find(email: ticket.address))
                guard let person = try own.first(Person.init), ticket.isCurrent(for: person) else { return false }
                if let other = try others.first(Person.init), other.id != person.id {
                    guard try await db.run(Person.takeAddress(from: other.id, at: now)).affected == 1 else { throw AddressTaken() }
                }
                _ = try await db.run(
                    [Person.setAddress(ticket.address, of: person.id, at: now)]
                        + (try endpoints.notice(
                            .addressChanged(to: ticket.address), to: ticket.earlier, of: person, in: frame, from: context, at: now)) + [
                            try AuditEvent.insert(
                                "confirmEmail", of: person.id.description, owner: .platform, by: origin, before: ["email": person.email],
                                after: ["email": ticket.address], at: now)
                        ])
                return true
            }
            guard isChanged else { return Self.invalidLink.leadingBack().response(in: frame) }
        } catch is AddressTaken {
            return addressTaken.response(in: frame)
        } catch let error as DatabaseError where error.constraint == "person_email" {
            return addressTaken.response(in: frame)
        }
        var page = AccountPage(.addressIsChanged, values: [.address: ticket.address])
        page.details = [.youSignInWithNewAddress]
        return page.leadingBack().response(in: frame)
    }

    /// The session of the account that asked for the address.
    private func account(of ticket: MailTicket, in signedIn: AccountContext?) -> AccountContext? {
        signedIn.flatMap { $0.person.id == ticket.person && $0.isOfAccount ? $0 : nil }
    }

    private var addressTaken: AccountPage {
        var page = AccountPage(.addressIsTaken)
        (page.details, page.status) = ([.chooseAnotherAddress], .conflict)
        return page.leadingBack()
    }

    /// The page for a link that is used, expired or not of this server.
    static var invalidLink: AccountPage {
        var page = AccountPage(.linkIsInvalid)
        (page.details, page.status) = ([.linkIsUsedOrExpired], .notFound)
        return page
    }
}

/// Rolls the transaction back.
private struct AddressTaken: Error {}
