import Crypto
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A test login that espalierctl starts and completes instead of the application.
///
/// The person signs in with a browser and pastes the final address. The test covers every step from authorize to the usage event. The page
/// at the redirect URI does not matter. The application cannot redeem the code, because it does not know the verifier (RFC 7636).
struct LoginTest {
    let issuer, clientID, redirectURI: String
    /// Nil for an application without a secret.
    var clientSecret: String?
    /// RFC 7636, section 4.1: 43 characters.
    let verifier: String
    let state: String

    /// Prepares a test login with random values.
    /// - Throws: ``Failure`` if a response lacks a required member, or if the application does not have the redirect URI.
    /// - Returns: nil if no person signs in to the application.
    init?(tenant: JSON, application: JSON, redirectURI: String? = nil, clientSecret: String? = nil) throws(Failure) {
        guard let issuer = tenant["issuer"]?.string, let id = application["id"]?.string else { throw .shape() }
        let registered = application["redirect_uris"]?.elements?.compactMap(\.string) ?? []
        guard !registered.isEmpty else { return nil }
        let isForDevelopment = application["allows_development_uris"] == .bool(true)
        guard let redirectURI = redirectURI ?? registered.first(where: { !RedirectURI.hasWildcard($0) }) else {
            throw Failure(
                status: .usage, detail: "Every redirect URI of the application has a wildcard: \(registered.joined(separator: ", ")).",
                nextStep: "Pass an address with one label in place of * as --redirect-uri.")
        }
        guard registered.contains(where: { RedirectURI.matches($0, redirectURI, isForDevelopment: isForDevelopment) }) else {
            throw Failure(
                status: .usage, detail: "\(redirectURI) is not a redirect URI of the application.",
                nextStep: "Pass one of these as --redirect-uri: \(registered.joined(separator: ", ")).")
        }
        (self.issuer, clientID, self.redirectURI, self.clientSecret) = (issuer, id, redirectURI, clientSecret)
        (verifier, state) = (Self.randomText(), Self.randomText())
    }

    /// The characters that people and programs may put around an address.
    private static let quotes = CharacterSet(charactersIn: "\"'`<> \t")

    /// Whether the test can authenticate at the token endpoint. An application with a secret must present it.
    func canBeCompleted(application: JSON) -> Bool {
        !Self.hasKey(application) && (clientSecret != nil || !Self.hasSecret(application))
    }

    static func hasSecret(_ application: JSON) -> Bool {
        ["web", "machine"].contains(application["kind"]?.string) && !hasKey(application)
    }

    /// Whether it authenticates by a key that only the application has.
    static func hasKey(_ application: JSON) -> Bool {
        application["token_endpoint_auth_method"]?.string == AuthMethod.privateKey.rawValue
    }

    /// The address that the person opens in a browser.
    var url: String {
        let challenge = Self.base64URL(SHA256.hash(data: Data(verifier.utf8)))
        return "\(issuer)/oauth2/authorize?response_type=code&client_id=\(clientID.inQuery)&redirect_uri=\(redirectURI.inQuery)"
            + "&scope=openid%20profile%20email&state=\(state)&code_challenge=\(challenge)&code_challenge_method=S256"
    }

    /// The authorization code in the address at which the browser arrived.
    /// - Throws: ``Failure``, which names the problem and does not repeat the code.
    func code(in address: String) throws(Failure) -> String {
        func failure(_ detail: String) -> Failure {
            Failure(status: .failure, detail: detail, nextStep: "Open the test login again, and paste the whole address afterwards.")
        }
        let address = address.trimmingCharacters(in: Self.quotes)
        guard let items = URLComponents(string: address)?.queryItems else { throw failure("This address has no query.") }
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard let arrived = value("state") else { throw failure("This address has no `state`.") }
        guard Array(arrived.utf8) == Array(state.utf8) else { throw failure("This address belongs to another login: its `state` differs.") }
        if let error = value("error") {
            throw failure("The login ended with `\(error)`\(value("error_description").map { ": \($0)" } ?? ".")")
        }
        guard let code = value("code"), !code.isEmpty else { throw failure("This address has no `code`.") }
        return code
    }

    /// Redeems the code, and reads the user from the userinfo endpoint.
    /// - Returns: the user's ID.
    func redeem(_ code: String, _ client: APIClient) async throws(Failure) -> String {
        let metadata = try await fetch(URLRequest(url: try url("\(issuer)/.well-known/openid-configuration")), client)
        guard let tokenEndpoint = metadata["token_endpoint"]?.string, let userInfoEndpoint = metadata["userinfo_endpoint"]?.string,
            (tokenEndpoint + "\n" + userInfoEndpoint).split(separator: "\n").allSatisfy({ $0.hasPrefix(issuer + "/") })
        else { throw .shape() }
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", clientID), ("redirect_uri", redirectURI),
            ("code_verifier", verifier),
        ]
        if let clientSecret { form.append(("client_secret", clientSecret)) }
        var request = URLRequest(url: try url(tokenEndpoint))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(form.map { "\($0)=\($1.inQuery)" }.joined(separator: "&").utf8)
        guard let accessToken = try await fetch(request, client)["access_token"]?.string else { throw .shape() }
        request = URLRequest(url: try url(userInfoEndpoint))
        request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
        guard let user = try await fetch(request, client)["sub"]?.string else { throw .shape() }
        return user
    }

    /// Sends a request once. A second redemption of a code would end the session.
    private func fetch(_ request: URLRequest, _ client: APIClient) async throws(Failure) -> JSON {
        switch await APIClient.exchange(request) {
        case .failure(let error):
            throw Failure(
                status: .failure, detail: "\(issuer) is unreachable: \(error.localizedDescription)",
                nextStep: "Check the server's ESPALIER_PUBLIC_URL, and check that this machine can reach it.")
        case .success(let (data, response)):
            let json = (try? JSONDecoder().decode(JSON.self, from: data)) ?? .null
            guard response.statusCode == 200 else {
                let error = json["error"]?.text ?? "status \(response.statusCode)"
                let isWrongSecret = error == "invalid_client"
                throw Failure(
                    status: .failure, detail: "\(error): \(json["error_description"]?.text ?? "no description")",
                    requestID: response.value(forHTTPHeaderField: "Request-Id"),
                    nextStep: isWrongSecret
                        ? "Run `espalierctl applications test-login` with the file of this application's secret as --secret-file."
                        : "Open the test login again. A code is valid for one minute.",
                    problem: .init(status: response.statusCode, code: error))
            }
            return json
        }
    }

    private func url(_ text: String) throws(Failure) -> URL {
        guard let url = URL(string: text) else { throw .shape() }
        return url
    }

    /// 256 random bits in 43 characters.
    private static func randomText() -> String {
        var random = SystemRandomNumberGenerator()
        return base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension LoginTest {
    /// Asks for the address until the login is complete, or until the server rejects the client.
    /// - Parameters:
    ///   - ask: reads one line. Nil or an empty line ends the test.
    ///   - path: the path of the tenant, for example `tenants/acme`.
    /// - Throws: ``Failure`` if the client secret is wrong.
    /// - Returns: the user's ID. Nil if the person skipped the test.
    func complete(_ client: APIClient, path: String, ask: () throws(Failure) -> String?) async throws(Failure) -> String? {
        while let address = try ask(), !address.isEmpty {
            do throws(Failure) {
                let user = try await redeem(code(in: address), client)
                Terminal.standardError.report("✓ The test login works: \(user) signed in.".printable)
                // An API key without usage:read cannot read the count. The login was still successful.
                if let usage = try? await client.send(.get("\(path)/usage")).json, let logins = usage["logins"]?.integer {
                    Terminal.standardError.report("✓ Logins this month: \(logins).")
                }
                return user
            } catch {
                // Every code fails with a wrong secret, so another sign-in does not help.
                if error.problem?.code == "invalid_client" { throw error }
                Terminal.standardError.report(error)
            }
        }
        return nil
    }
}
