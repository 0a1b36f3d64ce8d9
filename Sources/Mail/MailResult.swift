import Postgres

/// The result of an attempt to send a mail.
package struct MailResult: Error, Sendable, Equatable {
    package enum Outcome: String, Encodable, CaseIterable, SQLValue {
        case sent
        /// The server does not accept the recipient, now or later.
        case recipientRefused = "recipient_refused"
        /// The server does not accept this mail, now or later.
        case messageRefused = "message_refused"
        /// The address has other letters than ASCII, and the server does not support them (SMTPUTF8).
        case addressUnsupported = "address_unsupported"
        /// The server may accept the mail later.
        case deferred
        /// The server refuses the sender: its user, password or address.
        case senderRefused = "sender_refused"
        /// The server offers no way to prove the password that it shares with this client.
        case authenticationUnsupported = "authentication_unsupported"
        /// The server does not offer STARTTLS.
        case tlsMissing = "tls_missing"
        /// The server has no valid certificate for its name, or no common version of TLS.
        case tlsFailed = "tls_failed"
        case nameNotResolved = "name_not_resolved"
        case connectionFailed = "connection_failed"
        case timedOut = "timed_out"
        /// The server does not use SMTP as specified, or sent something before it was asked.
        case invalidReply = "invalid_reply"
    }

    /// The next step after an outcome.
    enum Consequence {
        case done
        /// Another attempt would have the same result.
        case final
        case retry
        /// Another attempt with the same settings would have the same result for every mail. An operator must act.
        case settings
    }

    package let outcome: Outcome
    /// The code of the server's reply. Nil without one.
    package let reply: Int?
    /// Whether the server may have accepted the mail, because its last response did not arrive.
    var isUncertain = false

    init(_ outcome: Outcome, reply: Int? = nil, isUncertain: Bool = false) {
        (self.outcome, self.reply, self.isUncertain) = (outcome, reply, isUncertain)
    }

    var consequence: Consequence {
        switch outcome {
        case .sent: .done
        case .recipientRefused, .messageRefused, .addressUnsupported: .final
        case .deferred, .nameNotResolved, .connectionFailed, .timedOut, .invalidReply: .retry
        case .senderRefused, .authenticationUnsupported, .tlsMissing, .tlsFailed: .settings
        }
    }
}
