package import Foundation
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle

/// A strict stand-in for Apple's Sign in with Apple servers, for laptops and tests: it refuses what Apple refuses, says why, and
/// breaks on demand. Everything it knows is in memory. ``SimulatedApple/router`` documents its HTTP interface.
///
/// Not here: the throttling of frequent refreshes, the button image.
package struct AppleSimulator: Service {
    package struct Configuration: Sendable {
        package var host: String
        /// 0: any free one; see ``AppleSimulator/port``.
        package var port: Int
        /// `iss` of the tokens and `aud` of client secrets. Apple's own by default, so that only the base URL differs from Apple.
        package var issuer: String
        /// Whether the portal takes Return URLs at `http://localhost` and `http://127.0.0.1`, which Apple refuses: a laptop has no
        /// other. Off, it is as strict as Apple.
        package var allowsLoopbackRedirects: Bool
        /// What is registered at the start.
        package var registry: Registry
        /// What time it is.
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

    /// Serves until the task is cancelled or asked to shut down gracefully.
    /// - Throws: When the port is taken.
    package func run() async throws {
        let application = Application(
            router: apple.router,
            configuration: ApplicationConfiguration(address: .hostname(configuration.host, port: configuration.port), serverName: "Apple"),
            onServerRunning: { [boundPort] channel in boundPort.bound(to: channel.localAddress?.port) }, logger: logger)
        defer { boundPort.bound(to: nil) }
        try await application.run()
    }

    /// The port it listens on, as soon as it does.
    /// - Throws: ``NotListening`` when ``run()`` has ended before it listened.
    package var port: Int {
        get async throws {
            guard let port = await boundPort.value else { throw NotListening() }
            return port
        }
    }

    /// The base URL, as soon as it listens.
    /// - Throws: ``NotListening`` when ``run()`` has ended before it listened.
    package var url: String {
        get async throws { "http://\(configuration.host):\(try await port)" }
    }

    package struct NotListening: Error, CustomStringConvertible {
        package let description = "The Apple simulator does not listen: its port may be taken."
    }
}
