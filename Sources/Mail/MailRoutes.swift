package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Web

/// Shows the state of the mail server, and checks it with a test mail.
package struct MailRoutes: Sendable {
    let pool: DatabasePool
    let sender: MailSender?
    let metrics: Metrics
    let now: @Sendable () -> Date
    /// Limits the test mails of this process, because each one occupies a connection to the mail server.
    let tests = TokenBuckets<UUID>(perMinute: 6, holding: 2)
    /// The most connections of one process for test mails: the bucket gains two tokens in the 25 s of the longest one.
    static let connections = 4

    package init(pool: DatabasePool, sender: MailSender?, metrics: Metrics, now: @escaping @Sendable () -> Date) {
        (self.pool, self.sender, self.metrics, self.now) = (pool, sender, metrics, now)
    }

    /// Below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/mail", "getMail", use: getMail)
        routes.on(.post, "platform/mail/test", "testMail", use: testMail)
        return routes
    }
}

extension Problem {
    /// The response of an action that needs mail, without a sender.
    package static var noMailSender: Problem {
        Problem(
            .conflict,
            "This installation sends no mail. Set `ESPALIER_SMTP_URL` and `ESPALIER_MAIL_FROM`, and restart Espalier (docs/mail.md), or "
                + "ask the operator of this installation.")
    }
}
