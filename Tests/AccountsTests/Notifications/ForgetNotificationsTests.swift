import Access
@testable import Accounts
import Foundation
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// Apple's notifications about a user are forgotten with the user.
@Suite("Forget notifications")
struct ForgetNotificationsTests {
    enum End: CaseIterable { case byKey, byPerson, byRetention }

    @Test(
        "deleted by key, by the user or after the retention: identity and content are erased, the outcome stays",
        arguments: End.allCases)
    func forgotten(end: End) async throws {
        try await TestPlatform.runByHand { platform in
            let (login, other) = (try await platform.login(somebody()), try await platform.login(somebody()))
            for user in [other.user, login.user] {
                try await platform.send(
                    .init(type: "email-disabled", subject: try await platform.subject(of: user), client: platform.own.servicesID))
            }
            try await platform.processNotifications()
            let subject = try await platform.subject(of: login.user)
            switch end {
            case .byKey: try await platform.delete(login)
            case .byPerson: #expect(try await platform.deleteOwnUser(login.access, of: platform.acme).status == 200)
            case .byRetention:
                _ = try await platform.ownerPool.run(
                    """
                    UPDATE tenant_user SET deleted_at = now() - interval '1 day', erase_after = now() - interval '1 hour'
                    WHERE id = \(ID<User>(login.user))
                    """)
                let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
                #expect(try await EraseUsers(database: PlatformDatabase(platform.pool), logger: quiet).pass(at: Date()) == 1)
            }
            let list = try await platform.call("GET", "/tenants/acme/notifications")
            #expect(list.data.map { $0["outcome"] as? String } == ["applied", "applied"])
            #expect(list.data.map { $0["subject"] == nil } == [true, false])
            #expect(list.data.map { $0["forgotten_at"] == nil } == [false, true])
            #expect(!list.body.contains(subject))
            #expect(try await platform.count("apple_notification", where: "sealed_payload = ''") == 1)
            #expect(try await platform.count("apple_notification AS t", where: "t::text LIKE '%\(subject)%'") == 0)

            let id = try #require(list.ids.first)
            #expect(try await platform.call("GET", "/tenants/acme/notifications/\(id)").json["forgotten_at"] != nil)
            let refused = try await platform.call("POST", "/tenants/acme/notifications/\(id)/replay")
            #expect(refused.isProblem(409, "conflict"))
            #expect(refused.string("detail")?.contains("deleted") == true)
            #expect(try await platform.call("POST", "/tenants/acme/notifications/\(list.ids[1])/replay").status == 202)
        }
    }

    @Test("a pending notification ends without an error")
    func pending() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody())
            try await platform.send(
                .init(type: "email-disabled", subject: try await platform.subject(of: login.user), client: platform.own.servicesID))
            try await platform.delete(login)
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done unknown_user 0"])
            #expect(try await platform.count("outbox", where: "kind = 'apple_notification'") == 0)
        }
    }

    @Test("shared notifications are forgotten when the last tenant has deleted the person, even if several do at once")
    func shared() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.moveToShared()
            for round in 0..<6 {
                let person = somebody()
                let logins = [try await platform.login(person), try await platform.login(person, platform.globex)]
                let subject = try await platform.subject(of: logins[0].user)
                try await platform.send(.init(type: "email-disabled", subject: subject, client: platform.shared.servicesID), to: nil)
                try await platform.processNotifications()
                let named = "apple_sub = '\(subject)'"
                if round == 0 {
                    try await platform.delete(logins[0])
                    #expect(try await platform.count("apple_notification", where: named) == 1)
                    try await platform.delete(logins[1])
                } else {
                    try await withThrowingTaskGroup(of: Void.self) { tasks in
                        for login in logins { tasks.addTask { try await platform.delete(login) } }
                        try await tasks.waitForAll()
                    }
                }
                #expect(try await platform.count("apple_notification", where: named) == 0)
                #expect(try await platform.count("apple_notification", where: "forgotten_at IS NOT NULL") == round + 1)
            }
        }
    }
}
