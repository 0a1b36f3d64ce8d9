import Foundation
import NIOHTTP1
import Postgres
import Server
import ServiceLifecycle

/// Another process of a platform's installation, with the same database and settings, and a readable log.
package struct SecondServer: Sendable {
    package let address: String
    package let log: RecordedLog

    /// Starts a server for the body, and stops it afterwards.
    package static func run(beside platform: TestPlatform, _ body: @Sendable @escaping (SecondServer) async throws -> Void) async throws {
        let log = RecordedLog()
        let (listening, port) = AsyncStream.makeStream(of: Int.self)
        let installation = try Installation(
            platform.settings, migrator: try Migrator(folder: TestDatabase.migrations), logger: log.logger
        ) { port.yield($0) }
        let group = ServiceGroup(
            configuration: .init(services: installation.services(withPasses: false).map { .init(named: $0) }, logger: log.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
            }
            guard let bound = await listening.first(where: { _ in true }) else { throw CancellationError() }
            try await body(SecondServer(address: "http://127.0.0.1:\(bound)", log: log))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}

// MARK: A login, step by step

extension SecondServer {
    /// The URL with this server's address instead of the public URL.
    private func here(_ url: String) -> String {
        url.hasPrefix(TestPlatform.publicURL) ? address + url.dropFirst(TestPlatform.publicURL.count) : url
    }

    /// Apple's form after a person's consent, and the attempt's cookie, as the browser sends them.
    package func atApple(
        _ request: TestBrowser.Request, _ browser: TestBrowser, person: String = "new", headers: [(String, String)] = []
    ) async throws -> (form: TestBrowser.AppleForm, cookie: String) {
        let toApple = try await browser.get(here(request.authorizeURL))
        let cookie = toApple.headers["Set-Cookie"].first?.split(separator: ";").first.map(String.init) ?? ""
        return (try await browser.atApple(toApple, person: person, headers: headers), cookie)
    }

    package func callback(_ form: TestBrowser.AppleForm, cookie: String, _ browser: TestBrowser) async throws -> TestBrowser.Answer {
        try await browser.post(here(form.action), form: form.fields, headers: [("Cookie", cookie)])
    }

    package func signIn(_ request: TestBrowser.Request, _ browser: TestBrowser, person: String = "new") async throws -> TestBrowser.Answer {
        let (form, cookie) = try await atApple(request, browser, person: person)
        return try await callback(form, cookie: cookie, browser)
    }

    package func redeem(_ code: String, _ request: TestBrowser.Request, _ browser: TestBrowser) async throws -> TestBrowser.Answer {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
            ("code_verifier", request.verifier), ("client_id", request.application.client_id),
        ]
        if let secret = request.application.client_secret { form.append(("client_secret", secret)) }
        return try await browser.post(here("\(request.tenant.issuer)/oauth2/token"), form: form)
    }
}
