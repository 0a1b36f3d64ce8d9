import Apple
import AsyncHTTPClient
import Foundation
import Testing

@Suite("Authorize URL")
struct AuthorizeURLTests {
    private func url(
        state: String = "s", nonce: String = "n", scopes: [AppleClient.Scope]? = nil, _ change: (inout AppleSettings) -> Void = { _ in }
    ) async throws -> URLComponents {
        var settings = AppleSettings()
        change(&settings)
        let client = AppleClient(settings, http: .shared, logger: quiet)
        let redirectURI = "https://login.example.com/t/acme/auth/apple/callback"
        let text =
            if let scopes {
                client.authorizeURL(clientID: "com.example.web", redirectURI: redirectURI, state: state, nonce: nonce, scopes: scopes)
            } else {
                client.authorizeURL(clientID: "com.example.web", redirectURI: redirectURI, state: state, nonce: nonce)
            }
        return try #require(URLComponents(string: text))
    }

    @Test("it leads to Apple with exactly the required parameters")
    func parameters() async throws {
        let url = try await url()
        #expect(url.scheme == "https")
        #expect(url.host == "appleid.apple.com")
        #expect(url.path == "/auth/authorize")
        #expect(
            url.queryItems == [
                URLQueryItem(name: "client_id", value: "com.example.web"),
                URLQueryItem(name: "redirect_uri", value: "https://login.example.com/t/acme/auth/apple/callback"),
                URLQueryItem(name: "response_type", value: "code id_token"),
                URLQueryItem(name: "response_mode", value: "form_post"),
                URLQueryItem(name: "scope", value: "name email"),
                URLQueryItem(name: "state", value: "s"),
                URLQueryItem(name: "nonce", value: "n"),
            ])
    }

    @Test("no value changes another parameter", arguments: ["a&scope=x", "a=b#c", "a b+c", "%26", "ä€💥", "\"<>\r\n", "~-._"])
    func escapes(value: String) async throws {
        let url = try await url(state: value, nonce: value)
        #expect(url.queryItems?.count == 7)
        #expect(url.queryItems?.first { $0.name == "state" }?.value == value)
        #expect(url.queryItems?.first { $0.name == "nonce" }?.value == value)
        // A space encoded as `+` would reach Apple as a plus sign.
        #expect(url.percentEncodedQuery?.contains("+") == false)
    }

    @Test("without scopes there is no scope parameter, and with one only that")
    func scopes() async throws {
        #expect(try await url(scopes: []).queryItems?.contains { $0.name == "scope" } == false)
        #expect(try await url(scopes: [.email]).queryItems?.first { $0.name == "scope" }?.value == "email")
    }

    @Test(
        "another base URL is used unchanged, with or without a trailing slash",
        arguments: ["http://127.0.0.1:9", "http://127.0.0.1:9/"])
    func baseURL(base: String) async throws {
        let url = try await url { $0 = AppleSettings(baseURL: base) }
        #expect(url.string?.hasPrefix("http://127.0.0.1:9/auth/authorize?client_id=") == true)
    }
}
