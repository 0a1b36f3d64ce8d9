package import Foundation
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle

/// A strict simulator of Apple's Sign in with Apple servers, for development machines and tests. It rejects requests that Apple
/// rejects, reports the reason, and fails on demand. All of its data is in memory. ``SimulatedApple/router`` documents its HTTP
/// interface.
///
/// Not included: the throttling of frequent refreshes, and the button image.
package struct AppleSimulator: Service {
    package struct Configuration: Sendable {
        package var host: String
        /// 0 for any free port; see ``AppleSimulator/port``.
        package var port: Int
        /// The `iss` of the tokens and the `aud` of client secrets. The default is Apple's own issuer, so that only the base URL
        /// differs from Apple.
        package var issuer: String
        /// Whether the portal accepts Return URLs at `http://localhost` and `http://127.0.0.1`. Apple rejects them, but a
        /// development machine has no others. Without this, it is as strict as Apple.
        package var allowsLoopbackRedirects: Bool
        /// The registry at the start.
        package var registry: Registry
        /// Returns the current time.
        package var clock: @Sendable () -> Date

        package init(
            host: String = "127.0.0.1", port: Int = 0, issuer: String = "https://appleid.apple.com", allowsLoopbackRedirects: Bool = true,
            registry: Registry = Registry(), clock: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.host = host
            self.port = port
            self.issuer = issuer
            self.allowsLoopbackRedirects = allowsLoopbackRedirects
            self.registry = registry
            self.clock = clock
        }
    }

    private let configuration: Configuration
    private let apple: SimulatedApple
    private let boundPort = BoundPort()
    private let logger: Logger

    package init(_ configuration: Configuration = Configuration(), logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        apple = SimulatedApple(configuration, logger: logger)
    }

    /// Serves until the task is cancelled or shut down gracefully.
    /// - Throws: An error if the port is in use.
    package func run() async throws {
        let application = Application(
            router: apple.router,
            configuration: ApplicationConfiguration(address: .hostname(configuration.host, port: configuration.port), serverName: "Apple"),
            onServerRunning: { [boundPort] channel in boundPort.bound(to: channel.localAddress?.port) }, logger: logger)
        defer { boundPort.bound(to: nil) }
        try await application.run()
    }

    /// The port, as soon as the simulator listens.
    /// - Throws: ``NotListening`` if ``run()`` has ended before it listened.
    package var port: Int {
        get async throws {
            guard let port = await boundPort.value else { throw NotListening() }
            return port
        }
    }

    /// The base URL, as soon as the simulator listens.
    /// - Throws: ``NotListening`` if ``run()`` has ended before it listened.
    package var url: String {
        get async throws { "http://\(configuration.host):\(try await port)" }
    }

    package struct NotListening: Error, CustomStringConvertible {
        package let description = "The Apple simulator does not listen. Its port may be in use."
    }
}
