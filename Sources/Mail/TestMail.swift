import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension MailRoutes {
    /// Sends a test mail at once, and returns the result of the mail server.
    @Sendable
    func testMail(_ request: Request, _ call: PlatformContext) async throws -> Response {
        struct Reply: Encodable {
            let object = "mail_test"
            let outcome: MailResult.Outcome
            let reply_code: Int?
        }
        try call.require(.tenantsWrite)
        var fields = try await JSONFields(request)
        let address = fields.text("to", 3...254, isRequired: true) {
            MailAddress($0) == nil ? "It must be an email address. Write a domain with other letters in its xn-- form." : nil
        }
        try fields.finish()
        guard let sender else { throw Problem.noMailSender }
        guard let recipient = address.flatMap({ MailAddress($0) }) else { throw Problem.invalid(.init("to", "It is required.")) }
        try tests.take(call.owner, at: .now).requireGrant(
            "Too many test mails were sent in a minute. Retry after the seconds in `Retry-After`.")

        let now = now()
        let id = ID<QueuedMail>(at: now)
        // No mail leaves without an event. The trail has the ID of the mail, and not the address.
        _ = try await call.platformDatabase(pool).run(
            AuditEvent.insert("testMail", of: id.description, owner: .platform, by: call.origin, at: now))
        let result = try await sender.send(try Self.message(to: recipient, at: now), id: id.uuid, at: now, within: Self.limit)
        metrics.count(mail: result.outcome.rawValue)
        _ = try await call.platformDatabase(pool).run(MailStatus.record(result, at: self.now()))
        return try .json(Reply(outcome: result.outcome, reply_code: result.reply))
    }

    /// The caller waits this long at most.
    private static let limit = Duration.seconds(25)

    private static func message(to recipient: MailAddress, at now: Date) throws -> Mail.Message {
        try Mail.Message(
            to: recipient, subject: "Test mail from Espalier",
            text: """
                This is a test mail from Espalier.

                An operator sent it to check the mail server. You need not do anything.

                """,
            html: """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <title>Test mail from Espalier</title>
                <p>This is a test mail from Espalier.</p>
                <p>An operator sent it to check the mail server. You need not do anything.</p>
                </html>

                """, deliverBefore: now.addingTimeInterval(60))
    }
}
