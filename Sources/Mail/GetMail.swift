import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension MailRoutes {
    @Sendable
    func getMail(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.tenantsRead)
        let now = now()
        let (waiting, status) = try await call.platformDatabase(pool).run(
            QueuedMail.waiting(upTo: MailReply.mostCounted, at: now), MailStatus.find)
        return try .json(
            MailReply(
                sender?.settings, waiting: try waiting.first(MailReply.Waiting.init) ?? MailReply.Waiting(mails: 0, since: nil),
                try status.first(MailStatus.init)))
    }
}

/// The mail server as operators see it. It has no password.
struct MailReply: Encodable {
    /// A larger number of mails is shown as this number.
    static let mostCounted = 10_000

    struct Server: Encodable {
        let host: String
        let port: Int
        let tls: MailServer.Protection
        let has_password: Bool
    }

    struct Waiting: Encodable {
        let mails: Int
        let since: Date?
    }

    let object = "mail"
    let has_sender: Bool
    let server: Server?
    let from: String?
    let waiting: Waiting
    let last_sent_at: Date?
    let last_failure: MailStatus.Failure?

    init(_ settings: MailSettings?, waiting: Waiting, _ status: MailStatus?) {
        has_sender = settings != nil
        server = settings.map {
            Server(
                host: $0.server.host, port: $0.server.port, tls: $0.server.protection, has_password: $0.server.credentials != nil)
        }
        from = settings?.sender.shown
        self.waiting = waiting
        (last_sent_at, last_failure) = (status?.sentAt, status?.failure)
    }
}

extension MailReply.Waiting {
    init(_ row: Row) throws {
        mails = try row.get("mails")
        since = try row.get("since")
    }
}
