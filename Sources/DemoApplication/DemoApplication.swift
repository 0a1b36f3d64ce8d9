import AsyncHTTPClient
import Hummingbird
package import Logging
import ServiceLifecycle

/// A small web application that signs people in by Espalier, as an application developer would write one.
///
/// It knows Espalier from outside only: each tenant's sign-in by OpenID Connect discovery, each tenant's usage by the REST API. A person
/// presses "Sign in with Apple" (``DemoRoutes/startLogin(_:context:)``), comes back with a code (``DemoRoutes/finishLogin(_:context:)``),
/// and sees what the application got for it (``DemoRoutes/showSession(_:context:)``). Who is signed in is kept in memory.
package struct DemoApplication: Service {
    /// A tenant whose application this is, with the credentials it was given.
    package struct Tenant: Sendable {
        package enum Connection: String, Sendable {
            /// The tenant has an Apple team and key of its own.
            case own
            /// The tenant signs in under the platform's.
            case shared
        }

        package var slug: String
        package var name: String
        /// The OpenID Connect issuer, to the letter as its tokens name it.
        package var issuer: String
        package var clientID: String
        /// Nil for a public application.
        package var clientSecret: String?
        /// For the REST API; it must be allowed to read the tenant's usage.
        package var apiKey: String
        package var connection: Connection

        package init(
            slug: String, name: String, issuer: String, clientID: String, clientSecret: String?, apiKey: String, connection: Connection
        ) {
            self.slug = slug
            self.name = name
            self.issuer = issuer
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.apiKey = apiKey
            self.connection = connection
        }
    }

    private let host: String
    private let port: Int
    private let publicURL: String
    private let baseURL: String
    private let tenants: [Tenant]
    private let logger: Logger
    private let onServerRunning: @Sendable (_ port: Int) async -> Void

    /// - Parameters:
    ///   - port: Where to listen; 0 for any free port.
    ///   - publicURL: How a browser reaches this application, without a slash at its end.
    ///   - baseURL: Where Espalier's REST API is, without a slash at its end.
    ///   - onServerRunning: Called once, with the port, when browsers can come.
    package init(
        host: String = "127.0.0.1", port: Int, publicURL: String, baseURL: String, tenants: [Tenant], logger: Logger,
        onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.publicURL = publicURL
        self.baseURL = baseURL
        self.tenants = tenants
        self.logger = logger
        self.onServerRunning = onServerRunning
    }

    /// Where a tenant's sign-in returns to; what must be registered for the tenant's application.
    package static func redirectURI(publicURL: String, slug: String) -> String {
        "\(publicURL)/callback/\(slug)"
    }

    /// Where a tenant's sign-out returns to; to be registered likewise.
    package static func logoutURI(publicURL: String) -> String {
        "\(publicURL)/"
    }

    /// Serves until it is cancelled or shut down gracefully.
    /// - Throws: What the server throws, when the port is taken, say.
    package func run() async throws {
        // A redirect of a token endpoint would carry the code and the secret elsewhere.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            let routes = DemoRoutes(
                publicURL: publicURL, baseURL: baseURL, tenants: tenants, sessions: BrowserSessions(), client: client)
            let application = Application(
                router: routes.router,
                configuration: .init(address: .hostname(host, port: port)),
                onServerRunning: { [onServerRunning] channel in await onServerRunning(channel.localAddress?.port ?? 0) },
                logger: logger)
            try await application.run()
        }
    }
}
