@testable import Accounts
@testable import Encoding
import Foundation
import Postgres
import Server
@testable import Sessions
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Receive shared notification")
struct ReceiveSharedNotificationTests {
    @Test("a notification of the shared connection's client is stored once and reaches the person's tenant")
    func received() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody(), platform.globex)
            let sent = SentNotification(
                type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.shared.servicesID)
            let payload = try await platform.sign(sent)
            for _ in 0..<2 { #expect(try await platform.post(payload, to: nil).status == 200) }
            #expect(try await platform.outcomes() == ["pending - 0"])
            #expect(try await platform.processNotifications() == 1)
            #expect(try await platform.outcomes() == ["done applied 1"])
            #expect(try await login.isOver())
        }
    }

    @Test("a forged notification and one of a tenant's own client are refused with the same text, and nothing is stored")
    func refused() async throws {
        try await TestPlatform.runByHand { platform in
            let own = try await platform.sign(.init(type: "consent-revoked", subject: "1", client: platform.own.servicesID))
            let good = try await platform.sign(.init(type: "consent-revoked", subject: "1", client: platform.shared.servicesID))
            let forged = good.split(separator: ".").dropLast().joined(separator: ".") + ".AAAA"
            for payload in [own, forged, "x", ""] {
                let answer = try await platform.post(payload, to: nil)
                #expect(answer.isProblem(400, "invalid"))
                #expect(answer.string("detail") == "This is not a valid Apple notification for this address.")
            }
            #expect(try await platform.outcomes() == [])
        }
    }
}
