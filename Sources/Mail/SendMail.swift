import Access
import Foundation
import Logging
import Outbox
import Postgres
import Sealing
import Web

/// Sends a queued mail. This is the outbox's handler for its kind.
///
/// A mail is sent until the server accepts it, refuses it for good, or the mail expires. Directly before an attempt sends the content, it
/// records this. So an attempt that ends earlier, for example at a shutdown, is only repeated. After two attempts without a known result,
/// the server may have accepted the mail twice, and there is no third one.
///
/// A suspended tenant's mails are sent, because its users can still change. In the name of a deleted tenant, nothing is sent.
struct SendMail: Sendable {
    let databases: OwnerDatabases
    /// Selects the ID and the status of every tenant.
    let tenants: SQL
    let keyring: Keyring
    let sender: MailSender
    let metrics: Metrics
    let logger: Logger

    /// Why a mail is given up without a reply of the server.
    private enum End: String {
        case expired
        case uncertain
        case tenantDeleted = "tenant_deleted"
    }

    /// Another attempt has begun to send the content, or the mail is withdrawn.
    private struct Overtaken: Error {}

    /// The most attempts without a known result.
    private static let mostUncertain = 2

    /// Makes one attempt to send a mail.
    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`. The mail waits then.
    func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = databases[entry.owner]
        // Without a row, the mail was sent or has expired, or its tenant is purged.
        guard
            let mail = try await database.run(QueuedMail.find(ID(entry.subject), of: entry.owner, tenants: tenants))
                .first(QueuedMail.init)
        else { return .done }
        if let end = ending(of: mail, at: now) {
            metrics.count(mail: end.rawValue)
            return try await giveUp(mail, end.rawValue, in: database)
        }
        let message = try mail.message(keyring)

        let started = ContinuousClock.now
        let result: MailResult
        do {
            result = try await sender.send(message, id: entry.subject, at: now) {
                guard try await database.run(mail.begin(entry.attempts)).affected == 1 else { throw Overtaken() }
            }
        } catch is Overtaken {
            return .done
        }
        let ended = now.addingTimeInterval((ContinuousClock.now - started) / .seconds(1))
        metrics.count(mail: result.outcome.rawValue)

        switch result.consequence {
        case .done:
            _ = try await database.run(mail.delete)
            try await record(result, at: ended)
            return .done
        case .final:
            try await record(result, at: ended)
            return try await giveUp(mail, result.outcome.rawValue, reply: result.reply, in: database)
        case .retry, .settings:
            if !result.isUncertain { _ = try await database.run(mail.wait(entry.attempts)) }
            try await record(result, at: ended)
            report(result, of: mail)
            let delay = OutboxWorker.delay(afterFailures: entry.attempts, first: .seconds(5), longest: .seconds(900))
            return .again(at: min(ended.addingTimeInterval(delay / .seconds(1)), mail.deliverBefore))
        }
    }

    private func ending(of mail: QueuedMail, at now: Date) -> End? {
        if mail.isOfDeletedTenant { return .tenantDeleted }
        if now >= mail.deliverBefore { return .expired }
        return mail.uncertain < Self.mostUncertain ? nil : .uncertain
    }

    private func record(_ result: MailResult, at now: Date) async throws {
        _ = try await databases[.platform].run(MailStatus.record(result, at: now))
    }

    /// Logs a failed attempt. The log has neither the address nor anything else of the mail.
    private func report(_ result: MailResult, of mail: QueuedMail) {
        var facts: Logger.Metadata = ["mail": "\(mail.id.uuid)", "outcome": "\(result.outcome.rawValue)"]
        if let reply = result.reply { facts["reply"] = "\(reply)" }
        switch result.consequence {
        case .settings: logger.error("the mail server refused the sender", metadata: facts)
        default: logger.warning("mail not sent yet", metadata: facts)
        }
    }

    private func giveUp(
        _ mail: QueuedMail, _ reason: String, reply: Int? = nil, in database: OwnerDatabase
    ) async throws -> Outbox.Outcome {
        _ = try await database.run(mail.delete)
        var facts: Logger.Metadata = ["mail": "\(mail.id.uuid)", "outcome": "\(reason)"]
        if let reply { facts["reply"] = "\(reply)" }
        logger.warning("mail given up", metadata: facts)
        return .done
    }
}
