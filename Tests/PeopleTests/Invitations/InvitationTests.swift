import Access
import Foundation
@testable import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

/// The rows of invitations as the page of the link uses them.
@Suite("Invitation")
struct InvitationTests {
    private static func token(_ invited: TestBrowser.Answer) throws -> String {
        String(try #require(invited.string("url")).suffix(47))
    }

    /// The row of a link, and whether the link proves it.
    private static func open(_ token: String, _ platform: TestPlatform) async throws -> (invitation: Invitation, isProven: Bool)? {
        let keyring = platform.settings.keyring
        let digests = try #require(Invitation.digests(of: token, with: keyring))
        return try await platform.ownerPool.run(Invitation.find(digests: digests)).first {
            row -> (invitation: Invitation, isProven: Bool) in
            let invitation = try Invitation(row)
            return (invitation, try invitation.isProven(row, by: digests, with: keyring, at: Date()))
        }
    }

    @Test("a link leads to its invitation, and another text costs no statement")
    func found() async throws {
        try await TestPlatform.run { platform in
            let invited = try await platform.invite("grace@example.com", as: "admin")
            let opened = try #require(try await Self.open(try Self.token(invited), platform))
            #expect(opened.isProven && opened.invitation.id.description == invited.resourceID)
            #expect(opened.invitation.role == .builtIn(.admin) && opened.invitation.state(at: Date()) == .pending)
            #expect(try await Self.open("inv_" + String(repeating: "0", count: 43), platform) == nil)
            for text in ["", "inv_", "esk_" + String(repeating: "0", count: 43), String(repeating: "é", count: 47)] {
                #expect(Invitation.digests(of: text, with: platform.settings.keyring) == nil)
            }
        }
    }

    @Test("a digest that is moved to another tenant, to the platform or to another row proves nothing")
    func moved() async throws {
        try await TestPlatform.run { platform in
            let viewer = try Self.token(try await platform.invite("grace@example.com", as: "viewer"))
            _ = try await platform.invite("alan@example.com", as: "owner")
            for change: SQL in [
                """
                WITH moved AS (DELETE FROM invitation WHERE email = 'grace@example.com' RETURNING digest, bound_digest)
                UPDATE invitation SET digest = moved.digest, bound_digest = moved.bound_digest FROM moved WHERE email = 'alan@example.com'
                """,
                "UPDATE invitation SET tenant_id = \(platform.globexID)",
                "UPDATE invitation SET tenant_id = \(UUID.platform), role = 'operator'",
            ] {
                #expect(try await platform.ownerPool.run(change).affected == 1)
                #expect(try #require(try await Self.open(viewer, platform)).isProven == false)
            }
        }
    }

    @Test("a link works once, even if two people open it at once, and neither after its end nor after its deletion")
    func once() async throws {
        try await TestPlatform.run { platform in
            let invited = try await platform.invite("grace@example.com")
            let invitation = try #require(try await Self.open(try Self.token(invited), platform)).invitation
            let people = [try await platform.addPerson("Ada"), try await platform.addPerson("Alan")]
            let database = OwnerDatabase(platform.pool, owner: platform.acmeID)
            #expect(
                try await database.run(
                    invitation.accept(by: people[0], owner: platform.acmeID, at: invitation.expiresAt)
                ).affected == 0)
            let accepted = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for person in people {
                    tasks.addTask {
                        try await database.run(invitation.accept(by: person, owner: platform.acmeID, at: Date())).affected
                    }
                }
                return try await tasks.reduce(0, +)
            }
            #expect(accepted == 1)
            #expect(try await platform.count("invitation", where: "accepted_at IS NOT NULL AND person_id IS NOT NULL") == 1)

            let deleted = try await platform.invite("edsger@example.com")
            let gone = try #require(try await Self.open(try Self.token(deleted), platform)).invitation
            #expect(try await platform.call("DELETE", "/tenants/acme/invitations/\(deleted.resourceID)").status == 204)
            #expect(try await database.run(gone.accept(by: people[0], owner: platform.acmeID, at: Date())).affected == 0)
        }
    }

    @Test("the state follows the time and the acceptance")
    func states() {
        let now = Date()
        var invitation = Invitation(
            id: ID(at: now), email: "ada@example.com", role: .builtIn(.viewer), invitedBy: "system", expiresAt: now, acceptedAt: nil,
            createdAt: now, updatedAt: now, mail: nil)
        #expect(invitation.state(at: now.addingTimeInterval(-1)) == .pending && invitation.state(at: now) == .expired)
        invitation.acceptedAt = now
        #expect(invitation.state(at: now.addingTimeInterval(1)) == .accepted)
    }
}
