import AsyncHTTPClient
package import Hummingbird
package import Logging
import ServiceLifecycle

/// A small web application that signs people in with Espalier, as an application developer would write it.
///
/// It uses only Espalier's public interfaces: OpenID Connect discovery for each tenant's sign-in, and the REST API for each tenant's
/// usage. A person presses "Sign in with Apple" (``DemoRoutes/startLogin(_:context:)``), returns with a code
/// (``DemoRoutes/finishLogin(_:context:)``), and sees the application's tokens (``DemoRoutes/showSession(_:context:)``). Sessions are
/// stored in memory.
///
/// Its port also serves Espalier's documentation (``DemoRoutes/showDocumentation(_:context:)``) and specification.
package struct DemoApplication: Service {
    /// A tenant with this application, and the credentials of the application.
    package struct Tenant: Sendable {
        package enum Connection: String, Sendable {
            /// The tenant has its own Apple team and key.
            case own
            /// The tenant uses the platform's Apple credentials.
            case shared
        }

        /// The last part of the addresses of this application at the tenant, such as `/login/acme`.
        package var slug: String
        /// The tenant's slug in the REST API. A tenant can have several applications here.
        package var tenantSlug: String
        package var name: String
        /// The OpenID Connect issuer, exactly as in its tokens.
        package var issuer: String
        package var clientID: String
        /// Nil for a public application.
        package var clientSecret: String?
        /// A key for the REST API with permission to read the tenant's usage.
        package var apiKey: String
        package var connection: Connection

        package init(
            slug: String, tenantSlug: String, name: String, issuer: String, clientID: String, clientSecret: String?, apiKey: String,
            connection: Connection
        ) {
            self.slug = slug
            self.tenantSlug = tenantSlug
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
    private let documentation: Documentation
    private let addPages: @Sendable (Router<BasicRequestContext>) -> Void
    private let logger: Logger
    private let onServerRunning: @Sendable (_ port: Int) async -> Void

    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - publicURL: The URL of this application for browsers, without a trailing slash.
    ///   - baseURL: The URL of Espalier's REST API, without a trailing slash.
    ///   - documentation: The files of `/docs` and `/openapi.yaml`.
    ///   - addPages: Adds other pages of this port.
    ///   - onServerRunning: Called once with the port, when the server accepts requests.
    package init(
        host: String = "127.0.0.1", port: Int, publicURL: String, baseURL: String, tenants: [Tenant], documentation: Documentation,
        addPages: @escaping @Sendable (Router<BasicRequestContext>) -> Void = { _ in }, logger: Logger,
        onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.publicURL = publicURL
        self.baseURL = baseURL
        self.tenants = tenants
        self.documentation = documentation
        self.addPages = addPages
        self.logger = logger
        self.onServerRunning = onServerRunning
    }

    /// The URL to which a tenant's sign-in returns. It must be registered for the tenant's application.
    package static func redirectURI(publicURL: String, slug: String) -> String {
        "\(publicURL)/callback/\(slug)"
    }

    /// The URL at which a person starts a sign-in again. The pages of Espalier lead to it if it is registered.
    package static func loginURL(publicURL: String, slug: String) -> String {
        "\(publicURL)/login/\(slug)"
    }

    /// The URL to which a tenant's sign-out returns. It must also be registered.
    package static func logoutURI(publicURL: String) -> String {
        "\(publicURL)/"
    }

    /// Serves until it is cancelled or shut down gracefully.
    /// - Throws: The server's error, for example if the port is in use.
    package func run() async throws {
        // A redirect of a token endpoint would send the code and the secret elsewhere.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            let routes = DemoRoutes(
                publicURL: publicURL, baseURL: baseURL, tenants: tenants, documentation: documentation, sessions: BrowserSessions(),
                client: client)
            let router = routes.router
            addPages(router)
            let application = Application(
                router: router,
                configuration: .init(address: .hostname(host, port: port)),
                onServerRunning: { [onServerRunning] channel in await onServerRunning(channel.localAddress?.port ?? 0) },
                logger: logger)
            try await application.run()
        }
    }
}
