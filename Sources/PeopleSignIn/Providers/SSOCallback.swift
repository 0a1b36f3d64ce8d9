import Access
import Encoding
import Foundation
import Hummingbird
import Logging
import Mail
import Pages
import People
import PeopleSSO
import Postgres
import Sessions
import Web

extension ProviderSignInRoutes {
    /// Takes the response of a tenant's provider, and starts a session that acts for this tenant only.
    @Sendable
    func ssoCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try endpoints.query(request)
        guard let attempt = try await endpoints.attempt(request, query, for: [.sso]) else { throw ErrorPage.responseBelongsToNoAttempt }
        let (tenant, now) = (attempt.tenant, endpoints.now())
        // The provider may have changed, and its new one must not get the code of another.
        guard try await isActive(tenant),
            let connection = try await endpoints.people.run(SSOConnection.find(of: tenant)).first(SSOConnection.init),
            connection.issuer.isSame(as: attempt.issuer)
        else { throw ErrorPage.responseBelongsToNoAttempt }
        let provider = try connection.provider(
            of: tenant, publicURL: endpoints.publicURL, keyring: endpoints.keyring, documents: documents)
        let account: OIDCProvider.Account
        do {
            let code = try await provider.code(in: query, at: now)
            account = try await provider.redeem(code, of: attempt, at: now)
        } catch let refusal as OIDCRefusal { throw refused(refusal, by: tenant, context) }

        do {
            let session = try await endpoints.people.transaction { db in
                guard try await db.run(connection.noteSignIn(of: tenant, at: now)).affected == 1 else { throw UnknownAccount() }
                let member = try await Member.find(account, at: connection.issuer, of: tenant, in: db, at: now)
                // A new account needs no notice, because it begins with this link.
                if member.identity == nil, member.new == nil, let person = try await db.run(Person.find(member.person)).first(Person.init) {
                    let frame = endpoints.frame(request, context)
                    let mails = try endpoints.notice(.providerConnected, of: person, in: frame, from: context, at: now)
                    if !mails.isEmpty { _ = try await db.run(mails) }
                }
                // Without `auth_time`, the person may have signed in there long ago, or may not be in front of the browser.
                let signedInAt = account.signedInAt ?? now.addingTimeInterval(-RecentSignIn.seconds)
                let session = try NewSession(
                    of: member.person, passwordChangedAt: nil, methods: ["fed"], onlyTenant: tenant, authenticatedAt: signedInAt,
                    action: "ssoCallback", request, context, endpoints, at: now)
                try await member.save(account, at: connection.issuer, of: tenant, in: session, in: db, at: now)
                _ = try await db.run(session.event)
                return session
            }
            endpoints.metrics.count(.person, "ok")
            return .seeOther(attempt.returnPath ?? ReturnPath.account.path, cookies: session.cookies + [endpoints.attemptRemoval])
        } catch is UnknownAccount {
            throw ErrorPage.accountThereUnknown
        } catch is Invitation.Refusal {
            throw ErrorPage.accountThereUnknown
        } catch let error as DatabaseError
            where ["person_identity_subject", "person_identity_one", "person_email", "membership_person"].contains(error.constraint)
        {
            // Another sign-in of the same person was faster, or the person has another account there.
            throw ErrorPage.accountThereUnknown
        }
    }
}

/// Rolls the transaction back.
private struct UnknownAccount: Error {}

/// The owner of an account at a tenant's provider, and the changes that make it so.
private struct Member: Sendable {
    let person: ID<Person>
    /// The link of an earlier sign-in.
    var identity: PersonIdentity?
    /// The invitation to accept, if the person is not a member.
    var invitation: Invitation?
    /// The name and the address of an account to create.
    var new: (name: String, email: String)?
    /// The account that has the address of the new one, and has not proved it.
    var claimant: ID<Person>?

    /// Finds the person of an account. A link of an earlier sign-in decides. Without one, it is the member or the invited person with the
    /// address, which the provider has verified, in a domain that the tenant has proved.
    /// - Throws: `UnknownAccount`.
    static func find(
        _ account: OIDCProvider.Account, at issuer: String, of tenant: ID<Tenant>, in db: Transaction, at now: Date
    ) async throws -> Member {
        let identity = try await db.run(PersonIdentity.find(account.subject, at: issuer, of: tenant)).first(PersonIdentity.init)
        if let identity, try await isMember(identity.person, of: tenant, in: db) {
            return Member(person: identity.person, identity: identity)
        }
        guard let address = account.verifiedEmail.flatMap({ MailAddress($0) })?.address, let domain = SSODomain.ofAddress(address),
            try await !db.run(SSODomain.isProved(domain, of: tenant)).isEmpty
        else { throw UnknownAccount() }
        let key = address.asciiLowercased
        if identity == nil, let member = try await db.run(Membership.find(address: key, of: tenant.uuid)).first(Membership.init) {
            return Member(person: member.person)
        }
        guard let invitation = try await db.run(Invitation.open(address: key, of: tenant.uuid)).first(Invitation.init),
            invitation.state(at: now) == .pending
        else { throw UnknownAccount() }
        let known = try await db.run(Person.find(email: address)).first(Person.init)
        if let identity {
            guard identity.person == known?.id else { throw UnknownAccount() }
            return Member(person: identity.person, identity: identity, invitation: invitation)
        }
        if let known, known.emailProvedAt != nil { return Member(person: known.id, invitation: invitation) }
        // Somebody else may have entered the address for an account. It gets neither the membership nor the link, and loses the address. An
        // account that acts for somebody keeps it: the mail of the invitation lets the person choose.
        if let known, try await !db.run(Membership.all(of: known.id)).isEmpty { throw UnknownAccount() }
        return Member(
            person: ID(at: now), invitation: invitation, new: (name(of: account, address), address), claimant: known?.id)
    }

    private static func isMember(_ person: ID<Person>, of tenant: ID<Tenant>, in db: Transaction) async throws -> Bool {
        try await db.run(Membership.all(of: person)).map { try $0.get("tenant_id", as: ID<Tenant>.self) }.contains(tenant)
    }

    /// The name that the provider sends, or the address without one.
    private static func name(of account: OIDCProvider.Account, _ address: String) -> String {
        guard let name = account.name, DisplayName.refusal(of: name) == nil else { return String(address.unicodeScalars.prefix(200)) }
        return name
    }

    /// Creates the account, the link and the membership, as far as they are missing, and starts the session.
    /// - Throws: `Invitation.Refusal`, and the errors of the schema.
    func save(
        _ account: OIDCProvider.Account, at issuer: String, of tenant: ID<Tenant>, in session: NewSession, in db: Transaction,
        at now: Date
    ) async throws {
        if let claimant {
            _ = try await db.run(Membership.lockAll(of: tenant.uuid))
            guard try await db.run(Person.takeAddress(from: claimant, at: now)).affected == 1 else { throw UnknownAccount() }
        }
        // The domain of the address belongs to the tenant, so its provider proves the mailbox.
        if let new { _ = try await db.run(Person.insert(person, name: new.name, email: new.email, isProved: true, at: now)) }
        if let identity {
            _ = try await db.run(PersonIdentity.use(identity.id, at: now))
        } else {
            _ = try await db.run(PersonIdentity.insert(account.subject, at: issuer, of: tenant, to: person, at: now))
        }
        _ = try await db.run(session.start)
        if let invitation { try await invitation.join(person, owner: tenant.uuid, by: session.origin, in: db, at: now) }
    }
}
