import Encoding
package import Foundation
import NIOSSL
import Sealing
package import Web

/// Sends mails through the server of the settings. A route without a sender cannot send mails and says so (`Problem.noMailSender`).
package struct MailSender: Sendable {
    let settings: MailSettings
    private let tls: NIOSSLContext?
    private let limits: SMTPLimits
    private let room: TokenBuckets<UUID>

    /// The most connections of one process to the mail server, for queued mails and test mails.
    package static let mostConnections = MailJobs.connections + MailRoutes.connections

    /// Mails of one tenant per minute and process.
    package static let perMinute = 60

    /// - Throws: `MailSettings.Refusal` if the file with the authorities is not readable.
    package init(_ settings: MailSettings, limits: SMTPLimits = SMTPLimits()) throws {
        (self.settings, self.limits) = (settings, limits)
        room = TokenBuckets(perMinute: Self.perMinute)
        guard settings.server.protection != .none else {
            tls = nil
            return
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if let file = settings.authorityFile {
            guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else {
                throw MailSettings.Refusal("ESPALIER_SMTP_CA_FILE must be a readable file with certificates in PEM.")
            }
            configuration.trustRoots = .certificates(certificates)
        }
        do { tls = try NIOSSLContext(configuration: configuration) } catch {
            throw MailSettings.Refusal("The authorities for the certificate of the mail server are not readable: \(error)")
        }
    }

    /// Counts one more mail of a tenant. An action that queues a mail for an unauthenticated person calls it directly before it does, after
    /// everything that can refuse the mail, and limits the mails to one recipient itself.
    package func take(of tenant: UUID, at now: ContinuousClock.Instant = .now) -> TokenBucketLevel {
        room.take(tenant, at: now)
    }

    /// Makes one attempt to send a mail.
    /// - Parameters:
    ///   - limit: A lower limit than that of all steps together.
    ///   - beforeContent: Called directly before the content is sent. Until then, the server cannot accept the mail.
    /// - Throws: `CancellationError`, and the errors of `beforeContent`. Then no content was sent.
    func send(
        _ message: Mail.Message, id: UUID, at now: Date, within limit: Duration = .seconds(3600),
        beforeContent: () async throws -> Void = {}
    ) async throws -> MailResult {
        let server = settings.server
        let document = MailDocument(message: message, sender: settings.sender, id: id, now: now).bytes
        let deadline = ContinuousClock.now + min(limits.total, limit)
        do {
            let connection = try await SMTPConnection.open(
                server, tls: server.protection == .implicitTLS ? tls : nil, limits: limits, deadline: deadline)
            do {
                try await prepare(connection, message, size: document.count)
                // The server requires nothing more, and has accepted nothing.
                try await beforeContent()
                let result = try await deliver(document, over: connection)
                connection.quit()
                return result
            } catch {
                connection.close()
                throw error
            }
        } catch let result as MailResult {
            return result
        }
    }
}

// MARK: The conversation

extension MailSender {
    /// Everything before the content of the mail.
    private func prepare(_ connection: SMTPConnection, _ message: Mail.Message, size: Int) async throws {
        try await connection.greeting().require(220)
        var extensions = try await hello(connection)
        if settings.server.protection == .startTLS {
            guard extensions.hasStartTLS, let tls else { throw MailResult(.tlsMissing) }
            try await connection.command("STARTTLS").require(220)
            try await connection.startTLS(tls)
            extensions = try await hello(connection)
        }
        if tls != nil { try await connection.requireCertificateForName() }
        if let credentials = settings.server.credentials { try await authenticate(connection, credentials, extensions.authentication) }

        let (sender, recipient) = (settings.sender.address, message.recipient)
        let needsUTF8 = sender.needsUTF8 || recipient.needsUTF8
        if needsUTF8, !(extensions.hasUTF8 && extensions.has8BitMIME) {
            // The sender is a setting, so no mail has to end because of it.
            throw MailResult(sender.needsUTF8 ? .senderRefused : .addressUnsupported)
        }
        if let most = extensions.size, size > most { throw MailResult(.messageRefused) }
        let parameters =
            (extensions.size == nil ? "" : " SIZE=\(size)") + (extensions.has8BitMIME && needsUTF8 ? " BODY=8BITMIME" : "")
            + (needsUTF8 ? " SMTPUTF8" : "")
        // 552 is about the size of this mail. Any other refusal is about the sender.
        let from = try await connection.command("MAIL FROM:<\(sender.text)>\(parameters)")
        try from.require(250, otherwise: from.code == 552 ? .messageRefused : .senderRefused)
        let to = try await connection.command("RCPT TO:<\(recipient.text)>")
        try to.require(250, 251, otherwise: .recipientRefused)
        try await connection.command("DATA").require(354, otherwise: .messageRefused)
        try connection.requireNothingUnread()
    }

    /// Sends the content. The first digit of the reply decides (RFC 5321, section 4.2.1).
    private func deliver(_ document: [UInt8], over connection: SMTPConnection) async throws -> MailResult {
        do {
            let reply = try await connection.data(SMTPData.stuffed(document))
            switch reply.code {
            case 200...299: return MailResult(.sent, reply: reply.code)
            case 400...599: try reply.require(otherwise: .messageRefused)
            default: break
            }
            throw MailResult(.invalidReply, reply: reply.code)
        } catch var result as MailResult {
            // Without a reply that refuses the mail, the server may have accepted it.
            result.isUncertain = !(400...599).contains(result.reply ?? 0)
            throw result
        }
    }

    /// Introduces this client by the domain of its sender.
    private func hello(_ connection: SMTPConnection) async throws -> SMTPExtensions {
        let reply = try await connection.command("EHLO \(settings.sender.address.domain)")
        try reply.require(250)
        return SMTPExtensions(reply)
    }

    /// Sends the user and the password: by PLAIN (RFC 4616), or by LOGIN, which some servers have instead.
    private func authenticate(_ connection: SMTPConnection, _ credentials: MailServer.Credentials, _ ways: Set<String>) async throws {
        let (user, password) = (credentials.user.revealBytes(), credentials.password.revealBytes())
        func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
        if ways.has("PLAIN") {
            try await connection.command("AUTH PLAIN \(base64([0] + user + [0] + password))").require(235)
        } else if ways.has("LOGIN") {
            try await connection.command("AUTH LOGIN").require(334)
            try await connection.command(base64(user)).require(334)
            try await connection.command(base64(password)).require(235)
        } else {
            throw MailResult(.authenticationUnsupported)
        }
    }
}

extension SMTPReply {
    /// Requires one of these codes.
    /// - Parameter refusal: The meaning of a permanent refusal.
    /// - Throws: `MailResult`
    fileprivate func require(_ codes: Int..., otherwise refusal: MailResult.Outcome = .senderRefused) throws {
        guard !codes.contains(code) else { return }
        switch code {
        case 400...499: throw MailResult(.deferred, reply: code)
        // The server requires a password, or another one. It can reply this to any command.
        case 530, 534, 535, 538: throw MailResult(.senderRefused, reply: code)
        case 500...599: throw MailResult(refusal, reply: code)
        default: throw MailResult(.invalidReply, reply: code)
        }
    }
}
