import AppleSimulator
import Foundation
import Logging
import Synchronization
import Testing

@Suite("Log")
struct LogTests {
    /// Stores the log as text.
    private final class Lines: Sendable {
        let text = Mutex("")
    }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.text.withLock { $0 += "\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])\n" }
        }
    }

    @Test("every request is logged at debug level, and no level logs a code, token, secret, state, name or email")
    func nothingSecret() async throws {
        let lines = Lines()
        try await withSimulator(logger: Logger(label: "simulator") { _ in Recorder(lines: lines) }) { website in
            let secret = try await website.secret()
            let code = try await website.code(["state": "state-of-mine", "nonce": "nonce-of-mine"])
            let tokens = try await website.redeem(code, ["client_secret": secret])
            #expect(try await website.redeem(code, ["client_secret": secret]).status == 400)
            let log = lines.text.withLock { $0 }
            #expect(log.contains("/auth/authorize"))
            #expect(log.contains("/auth/token"))
            #expect(log.contains("the code is unknown, used or expired"))
            for secret in [
                code, secret, "state-of-mine", "nonce-of-mine", "Lovelace", "ada-lovelace", tokens["id_token"] as? String,
                tokens["refresh_token"] as? String, tokens["access_token"] as? String,
            ] {
                #expect(!log.contains(try #require(secret)))
            }
        }
    }
}
