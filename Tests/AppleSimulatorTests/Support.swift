import AppleSimulator
import AsyncHTTPClient
import Crypto
import Foundation
import JWTKit
import Logging
import NIOCore
import NIOHTTP1
import Testing

/// Runs a test with its own simulator, where a team, a website, an app and a key are registered.
func withSimulator(
    _ configuration: AppleSimulator.Configuration = AppleSimulator.Configuration(),
    logger: Logger = Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() },
    _ test: (Website) async throws -> Void
) async throws {
    let simulator = AppleSimulator(configuration, logger: logger)
    try await withThrowingTaskGroup { group in
        group.addTask { try await simulator.run() }
        let website = try await Website(at: simulator.url)
        try await test(website)
        group.cancelAll()
    }
}

/// A response with its whole body.
struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    var reason: String? { headers.first(name: "simulator-reason") }
    var error: String? { self["error"] as? String }

    /// A field of a JSON object.
    subscript(name: String) -> Any? {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])?[name]
    }

    /// Returns the hidden inputs of a page as a browser reads them: by tag, with resolved entities.
    var hiddenFields: [String: String] {
        let inputs = text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
        return Dictionary(inputs.map { (unescape($0.1), unescape($0.2)) }, uniquingKeysWith: { $1 })
    }

    func header(_ name: String) -> String? { headers.first(name: name) }

    private func unescape(_ html: Substring) -> String {
        String(html).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}

/// Any claims, for the test's own tokens and for reading Apple's.
struct Claims: JWTPayload, ExpressibleByDictionaryLiteral {
    var fields: [String: JWTHeaderField]

    init(dictionaryLiteral elements: (String, JWTHeaderField)...) { fields = Dictionary(uniqueKeysWithValues: elements) }
    init(from decoder: any Decoder) throws { fields = try [String: JWTHeaderField](from: decoder) }
    func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
    func verify(using algorithm: some JWTAlgorithm) {}

    subscript(name: String) -> JWTHeaderField? {
        get { fields[name] }
        set { fields[name] = newValue }
    }
}

/// A relying website in the simulator, and the actions of its server and its visitors.
struct Website: Sendable {
    static let team = "TEAM000001"
    static let clientID = "com.example.web"
    static let bundleID = "com.example.app"
    static let redirectURI = "https://example.com/callback?from=apple"

    let url: String
    let keyID: String
    let key: ES256PrivateKey

    init(at url: String) async throws {
        self.url = url
        try await expectSuccess(Self.send("PUT", "\(url)/simulator/teams/\(Self.team)", json: #"{"bundle_ids": ["com.example.app"]}"#))
        try await expectSuccess(
            Self.send(
                "PUT", "\(url)/simulator/services-ids/\(Self.clientID)",
                json:
                    #"{"team": "TEAM000001", "display_name": "Tea & <Cakes>", "return_urls": ["https://example.com/callback?from=apple"]}"#)
        )
        let made = try await Self.send("POST", "\(url)/simulator/keys", json: #"{"team": "TEAM000001"}"#)
        keyID = try #require(made["id"] as? String)
        key = try ES256PrivateKey(pem: try #require(made["private_key"] as? String))
    }

    static func send(
        _ method: String, _ url: String, headers: [(String, String)] = [], json: String? = nil, form: [String: String]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let json {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: json))
        }
        if let form {
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: encode(form)))
        }
        let response = try await client.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(status: Int(response.status.code), headers: response.headers, text: String(buffer: body))
    }

    /// Follows no redirect and retries no connection, because the tests check both.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    static func encode(_ fields: [String: String]) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return fields.map { "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: unreserved)!)" }.joined(separator: "&")
    }

    func send(_ method: String, _ path: String, json: String? = nil) async throws -> Answer {
        try await Self.send(method, url + path, json: json)
    }

    /// Returns a valid authorization request. The test changes one parameter, or removes it with nil.
    static func authorization(_ changes: [String: String?] = [:]) -> [String: String] {
        var parameters = [
            "client_id": clientID, "redirect_uri": redirectURI, "response_type": "code", "response_mode": "form_post",
            "scope": "name email", "state": "state-1", "nonce": "nonce-1",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters
    }

    func authorize(
        as person: String? = "Ada Lovelace", _ changes: [String: String?] = [:], headers: [(String, String)] = []
    ) async throws -> Answer {
        let person = person.map { [("Simulator-Person", $0)] } ?? []
        return try await Self.send("GET", "\(url)/auth/authorize?\(Self.encode(Self.authorization(changes)))", headers: headers + person)
    }

    /// Returns a code for the person.
    func code(as person: String = "Ada Lovelace", _ changes: [String: String?] = [:]) async throws -> String {
        let answer = try await authorize(as: person, changes)
        return try #require(answer.hiddenFields["code"], "\(answer.reason ?? answer.text)")
    }

    /// Returns a valid client secret's claims. The test changes one.
    func secretClaims(clientID: String = Self.clientID, at now: Date = Date()) -> Claims {
        let seconds = Int(now.timeIntervalSince1970)
        return [
            "iss": .string(Self.team), "sub": .string(clientID), "aud": "https://appleid.apple.com",
            "iat": .int(seconds - 60), "exp": .int(seconds + 300),
        ]
    }

    func secret(_ claims: Claims? = nil, header: JWTHeader? = nil, key: ES256PrivateKey? = nil) async throws -> String {
        try await JWTKeyCollection().add(ecdsa: key ?? self.key)
            .sign(claims ?? secretClaims(), header: header ?? ["kid": .string(keyID)])
    }

    /// Redeems a code. `changes` changes one field of a valid form, or removes it with nil.
    func redeem(_ code: String, _ changes: [String: String?] = [:]) async throws -> Answer {
        var form = [
            "client_id": Self.clientID, "client_secret": try await secret(), "grant_type": "authorization_code", "code": code,
            "redirect_uri": Self.redirectURI,
        ]
        for (name, value) in changes { form[name] = value }
        return try await Self.send("POST", "\(url)/auth/token", form: form)
    }

    /// Returns the claims of an id_token after a check of the signature with the published keys.
    func verified(_ idToken: Any?) async throws -> Claims {
        let keys = try await send("GET", "/auth/keys").text
        return try await JWTKeyCollection().add(jwksJSON: keys).verify(try #require(idToken as? String), as: Claims.self)
    }

    /// Returns the claims at the end of a person's login.
    func signIn(as person: String = "Ada Lovelace", _ changes: [String: String?] = [:]) async throws -> Claims {
        try await verified(redeem(code(as: person, changes))["id_token"])
    }
}

func expectSuccess(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect((200..<300).contains(answer.status), "\(answer.text)", sourceLocation: sourceLocation)
}
