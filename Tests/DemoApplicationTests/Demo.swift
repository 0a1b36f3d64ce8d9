import DemoApplication
import Hummingbird
import Logging

/// The demo and its provider during a test.
struct Demo {
    static let publicURL = "https://demo.example"
    static let clientSecret = "secret+of/acme"
    static let apiKey = "esk_test_acme"

    let provider: FakeProvider
    let port: Int

    /// Returns a new browser.
    var browser: Browser { Browser(port: port) }
    var issuer: String { provider.current.issuer }

    /// Starts a sign-in, gives the provider its nonce, and returns the request for the provider.
    func begin(in browser: Browser) async throws -> [String: String] {
        let page = try await browser.get("/login/acme")
        let query = FakeProvider.fields(String(page.location?.split(separator: "?").last ?? ""))
        provider.change { $0.nonce = query["nonce"] }
        return query
    }

    /// Returns the address to which the provider redirects the browser.
    func callback(state: String?, issuer: String? = nil, code: String? = FakeProvider.code, error: String? = nil) -> String {
        var query = ["state=\(state ?? "")", "iss=\(issuer ?? self.issuer)"]
        if let code { query.append("code=\(code)") }
        if let error { query.append("error=\(error)") }
        return "/callback/acme?\(query.joined(separator: "&"))"
    }

    /// Signs in and returns the page for the person.
    func signIn(in browser: Browser) async throws -> Browser.Page {
        let asked = try await begin(in: browser)
        _ = try await browser.get(callback(state: asked["state"]))
        return try await browser.get("/session")
    }
}

/// Runs the demo with its own provider on free ports while `body` runs.
func withDemo(
    name: String = "Acme", connection: DemoApplication.Tenant.Connection = .own, clientSecret: String? = Demo.clientSecret,
    documentation: Documentation = Documentation(folder: "/nonexistent/docs", specification: "/nonexistent/openapi.yaml"),
    _ body: (Demo) async throws -> Void
) async throws {
    let provider = FakeProvider()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (ports, reportPort) = AsyncStream.makeStream(of: Int.self)
    var nextPort = ports.makeAsyncIterator()

    try await withThrowingTaskGroup(of: Void.self) { group in
        let server = Application(
            router: provider.router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { reportPort.yield($0.localAddress?.port ?? 0) }, logger: logger)
        group.addTask { try await server.run() }
        let baseURL = "http://127.0.0.1:\(await nextPort.next() ?? 0)"
        provider.change { $0.issuer = "\(baseURL)/t/acme" }

        let demo = DemoApplication(
            port: 0, publicURL: Demo.publicURL, baseURL: baseURL,
            tenants: [
                .init(
                    slug: "acme", tenantSlug: "acme", name: name, issuer: "\(baseURL)/t/acme", clientID: "acme-web",
                    clientSecret: clientSecret, apiKey: Demo.apiKey, connection: connection)
            ], documentation: documentation, logger: logger, onServerRunning: { reportPort.yield($0) })
        group.addTask { try await demo.run() }
        try await body(Demo(provider: provider, port: await nextPort.next() ?? 0))
        group.cancelAll()
    }
}
