import AsyncHTTPClient
import Crypto
import Encoding
import Foundation
import HTTPTypes
import NIOCore
package import NIOHTTP1
package import Server
import Synchronization
import Web

/// A browser with cookies, and the application's side of a login, both only over HTTP.
package final class TestBrowser: Sendable {
    package let publicURL: String
    private let addresses: [String]
    /// Further URLs of the same servers.
    private let others: [String]
    /// The cookies of each URL.
    private let jars = Mutex<[String: [String: String]]>([:])

    package convenience init(_ platform: TestPlatform) {
        self.init(publicURL: TestPlatform.publicURL, address: platform.address)
    }

    /// A browser that also reaches the platform at the own hosts of tenants.
    package convenience init(_ platform: TestPlatform, alsoAt hosts: [String]) {
        self.init(publicURL: TestPlatform.publicURL, addresses: [platform.address], others: hosts.map { "https://\($0)" })
    }

    /// - Parameters:
    ///   - publicURL: The server's name in every URL.
    ///   - address: The address at which it really listens.
    package convenience init(publicURL: String, address: String) {
        self.init(publicURL: publicURL, addresses: [address])
    }

    /// For servers with the same name, as behind a load balancer. Each request reaches any of them.
    package init(publicURL: String, addresses: [String], others: [String] = []) {
        (self.publicURL, self.addresses, self.others) = (publicURL, addresses, others)
    }

    package struct Answer: Sendable {
        package let status: Int
        package let headers: HTTPHeaders
        package let body: String

        package func header(_ name: String) -> String? { headers.first(name: name) }
        package var location: String? { header("Location") }
        package var json: [String: any Sendable] {
            (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: any Sendable]) ?? [:]
        }
        /// Returns a parameter of the redirect's query.
        package subscript(_ parameter: String) -> String? {
            URLComponents(string: location ?? "")?.queryItems?.first { $0.name == parameter }?.value
        }
    }

    package var cookies: [String: String] {
        get { cookies(of: publicURL) }
        set { jars.withLock { $0[publicURL] = newValue } }
    }

    /// The cookies of one of the URLs.
    package func cookies(of url: String) -> [String: String] { jars.withLock { $0[url] ?? [:] } }

    package func set(_ cookies: [String: String], of url: String) { jars.withLock { $0[url] = cookies } }

    // MARK: HTTP

    package func get(_ url: String, headers: [(String, String)] = []) async throws -> Answer {
        try await send("GET", url, headers: headers, body: nil)
    }

    package func post(_ url: String, form: [(String, String)], headers: [(String, String)] = []) async throws -> Answer {
        let body = form.map { "\(Form.encode($0))=\(Form.encode($1))" }.joined(separator: "&")
        return try await send(
            "POST", url, headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers, body: body)
    }

    package func send(
        _ method: String, _ url: String, headers: [(String, String)], body: String?, isChunked: Bool = false
    ) async throws -> Answer {
        // The public name leads to the server's real address. Cookies are only for the public name.
        let own = ([publicURL] + others).first { url == $0 || url.hasPrefix($0 + "/") || url.hasPrefix($0 + "?") }
        var request = HTTPClientRequest(url: own.map { addresses.randomElement()! + url.dropFirst($0.count) } ?? url)
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let own, own != publicURL, !request.headers.contains(name: "Host") {
            request.headers.add(name: "Host", value: String(own.dropFirst("https://".count)))
        }
        if let own, let cookies = Optional(cookies(of: own)), !cookies.isEmpty {
            request.headers.add(name: "Cookie", value: cookies.map { "\($0)=\($1)" }.sorted().joined(separator: "; "))
        }
        if let body {
            request.body = isChunked ? .bytes(Array(body.utf8), length: .unknown) : .bytes(ByteBuffer(string: body))
        }
        let response = try await Self.client.execute(request, timeout: .seconds(60))
        for cookie in response.headers["Set-Cookie"] { if let own { store(cookie, of: own) } }
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return Answer(status: Int(response.status.code), headers: response.headers, body: text)
    }

    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))

    private func store(_ cookie: String, of url: String) {
        let parts = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        jars.withLock { jars in
            jars[url, default: [:]][String(pair[0])] = parts.contains { $0.lowercased() == "max-age=0" } ? nil : String(pair[1])
        }
    }

    // MARK: A login, step by step

    /// The data that an application stores between authorize and token.
    package struct Request: Sendable {
        package var tenant: SeedResult.TenantResult
        package var application: SeedResult.App
        package var verifier = TestBrowser.randomText()
        package var state = TestBrowser.randomText()
        package var nonce = TestBrowser.randomText()
        package var scope = "openid profile email"
        package var redirectURI = TestPlatform.redirectURI

        /// - Parameter application: 0 is confidential, 1 public, 2 confidential and exempt from PKCE.
        package init(_ tenant: SeedResult.TenantResult, application: Int = 0) {
            (self.tenant, self.application) = (tenant, tenant.applications[application])
        }

        package var challenge: String {
            Data(SHA256.hash(data: Data(verifier.utf8))).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }

        package var parameters: [(String, String)] {
            [
                ("client_id", application.client_id), ("redirect_uri", redirectURI), ("response_type", "code"), ("scope", scope),
                ("state", state), ("nonce", nonce), ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ]
        }

        package var authorizeURL: String {
            Self.url("\(tenant.issuer)/oauth2/authorize", parameters)
        }

        package static func url(_ base: String, _ parameters: [(String, String)]) -> String {
            base + "?" + parameters.map { "\(Form.encode($0))=\(Form.encode($1))" }.joined(separator: "&")
        }
    }

    /// Calls our authorize endpoint: the redirect to Apple.
    package func authorize(_ request: Request) async throws -> Answer {
        try await get(request.authorizeURL)
    }

    /// Returns the form that Apple's page would post: its target and its fields.
    package struct AppleForm: Sendable {
        package var action: String
        package var fields: [(String, String)]

        package subscript(_ name: String) -> String? {
            get { fields.first { $0.0 == name }?.1 }
            set {
                fields.removeAll { $0.0 == name }
                if let newValue { fields.append((name, newValue)) }
            }
        }
    }

    /// Presses the button at Apple.
    /// - Parameter person: A name, `new`, or `cancel`.
    package func atApple(_ toApple: Answer, person: String, headers: [(String, String)] = []) async throws -> AppleForm {
        let page = try await get(toApple.location ?? "", headers: [("Simulator-Person", person)] + headers)
        guard page.status == 200, let form = AppleForm(html: page.body) else {
            throw TestSimulator.Refused(
                description: "Apple refused: \(page.status) \(page.headers.first(name: "Simulator-Reason") ?? page.body)")
        }
        return form
    }

    /// Posts Apple's form to our callback: the redirect to the application.
    package func callback(_ form: AppleForm) async throws -> Answer {
        try await post(form.action, form: form.fields)
    }

    /// Runs the steps from authorize to the code.
    package func signIn(_ request: Request, person: String = "new", headers: [(String, String)] = []) async throws -> Answer {
        try await callback(try await atApple(try await authorize(request), person: person, headers: headers))
    }

    /// Calls the token endpoint, as the application's back end.
    package func token(_ request: Request, _ form: [(String, String)]) async throws -> Answer {
        var form = form + [("client_id", request.application.client_id)]
        if let secret = request.application.client_secret { form.append(("client_secret", secret)) }
        return try await post("\(request.tenant.issuer)/oauth2/token", form: form)
    }

    package func redeem(_ code: String, _ request: Request) async throws -> Answer {
        try await token(
            request,
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
                ("code_verifier", request.verifier),
            ])
    }

    package func refresh(_ token: String, _ request: Request) async throws -> Answer {
        try await self.token(request, [("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    /// Runs a complete login, and allows an application of a third party.
    package func tokens(_ request: Request, person: String = "new") async throws -> [String: any Sendable] {
        let back = try await signInAndAllow(request, person: person)
        guard let code = back["code"] else {
            throw TestSimulator.Refused(description: "no code: \(back.status) \(back.location ?? back.body)")
        }
        let answer = try await redeem(code, request)
        guard answer.status == 200 else { throw TestSimulator.Refused(description: "no tokens: \(answer.status) \(answer.body)") }
        return answer.json
    }

    package static func randomText() -> String {
        String((0..<43).map { _ in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".randomElement()! })
    }
}

extension TestBrowser.AppleForm {
    /// Reads `<form action=…>` and its hidden inputs.
    package init?(html: String) {
        guard let form = html.firstMatch(of: /<form[^>]*\baction="([^"]*)"/) else { return nil }
        action = Self.unescape(form.1)
        fields = html.matches(of: /<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"/).map { (Self.unescape($0.1), Self.unescape($0.2)) }
    }

    private static func unescape(_ text: Substring) -> String {
        String(text).replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&#x27;", with: "'")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}
