import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("People jobs")
struct PeopleJobsTests {
    private static func forget(_ platform: TestPlatform, days: Double) async throws {
        try await PeopleJobs.forgetPeople(
            in: PlatformDatabase(platform.pool, for: .forgetPeople), at: Date().addingTimeInterval(days * 86400))
    }

    @Test("ended and expired sessions go after 30 days")
    func sessions() async throws {
        try await TestPlatform.run { platform in
            let ada = try await platform.addMember("Ada")
            for _ in 0..<3 { try await platform.addSession(ada.person) }
            _ = try await platform.ownerPool.run(
                """
                UPDATE person_session SET ended_at = now(), ended_reason = 'ended' WHERE id = (SELECT min(id::text)::uuid FROM person_session)
                """)
            try await Self.forget(platform, days: 29)
            #expect(try await platform.count("person_session") == 3)
            try await Self.forget(platform, days: 31)
            #expect(try await platform.count("person_session") == 2)
            // The others expired after 14 days.
            try await Self.forget(platform, days: 45)
            #expect(try await platform.count("person_session") == 0)
            #expect(try await platform.count("person") == 1)
        }
    }

    @Test("invitations go 30 days after their end")
    func invitations() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.invite("grace@example.com")
            try await Self.forget(platform, days: 36)
            #expect(try await platform.count("invitation") == 1)
            try await Self.forget(platform, days: 38)
            #expect(try await platform.count("invitation") == 0)
        }
    }

    @Test("an account goes 30 days after its last membership, but not with an open invitation or a used session")
    func accounts() async throws {
        try await TestPlatform.run { platform in
            let (ada, grace) = (try await platform.addMember("Ada"), try await platform.addMember("Grace"))
            let (invited, active) = (try await platform.addPerson("Katherine"), try await platform.addPerson("Mary"))
            _ = try await platform.call(
                "POST", "/tenants/acme/invitations", key: platform.acmeKey,
                [
                    "email": "katherine@example.com", "role": "viewer",
                    "expires_at": Date().addingTimeInterval(29 * 86400).formatted(.iso8601),
                ])
            let session = try await platform.addSession(active)
            _ = try await platform.ownerPool.run([
                "UPDATE person SET created_at = now() - interval '60 days', updated_at = now() - interval '60 days'",
                "UPDATE person_session SET last_used_at = now() - interval '29 days' WHERE id = \(session)",
            ])
            #expect(try await platform.call("DELETE", "/tenants/acme/members/\(ada.id)", key: platform.acmeKey).status == 204)
            try await Self.forget(platform, days: 0)
            #expect(try await platform.count("person") == 4)
            // The end of the invitation and the last use are still less than 30 days ago.
            try await Self.forget(platform, days: 0.5)
            #expect(try await platform.count("person", where: "id = '\(invited.uuid)'") == 1)
            try await Self.forget(platform, days: 31)
            #expect(try await platform.count("person", where: "id <> '\(grace.person.uuid)'") == 0)
            #expect(try await platform.count("membership") == 1)
        }
    }
}
