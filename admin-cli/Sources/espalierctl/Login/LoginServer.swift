import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The issuer of logins at the terminal: `{base URL}/account`, an OAuth authorization server (RFC 8414).
///
/// The client `espalierctl` is built into the server. It is public, so it proves itself with PKCE (RFC 7636).
struct LoginServer: Equatable, Sendable {
    static let clientID = "espalierctl"
    /// The path of the metadata below the base URL.
    static let metadataPath = "account/.well-known/oauth-authorization-server"

    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let deviceAuthorizationEndpoint: String
    let revocationEndpoint: String
    /// The longest time without a byte from the server, in seconds.
    var timeout: Double = 30

    /// Reads the metadata.
    /// - Parameter base: the base URL without a slash at its end.
    /// - Throws: ``Failure`` if the issuer is another server, or if a code or token would be sent to one.
    init(_ metadata: JSON, base: String) throws(Failure) {
        guard let issuer = metadata["issuer"]?.string else { throw .shape() }
        guard issuer.isSame(as: "\(base)/account") else {
            throw Failure(
                status: .failure, detail: "The server at \(base) names the issuer \(issuer), and not \(base)/account.",
                nextStep: "Use the address of this issuer if it is yours: espalierctl login --base-url \(Self.base(of: issuer))")
        }
        func endpoint(_ name: String) throws(Failure) -> String {
            guard let text = metadata[name]?.string, text.utf8.starts(with: "\(base)/".utf8),
                text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw .shape() }
            return text
        }
        self.issuer = issuer
        authorizationEndpoint = try endpoint("authorization_endpoint")
        tokenEndpoint = try endpoint("token_endpoint")
        deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
        revocationEndpoint = try endpoint("revocation_endpoint")
    }

    /// The base URL of an issuer, for a message.
    private static func base(of issuer: String) -> String {
        issuer.hasSuffix("/account") ? String(issuer.dropLast("/account".count)) : "https://…"
    }

    /// Fetches the metadata of the server at a base URL.
    static func find(at url: URL, timeout: Double) async throws(Failure) -> LoginServer {
        let base = Logins.name(of: url)
        guard let address = URL(string: "\(base)/\(metadataPath)") else { throw .shape() }
        let (data, response) = try await send(URLRequest(url: address, timeoutInterval: timeout))
        if response.statusCode == 404 {
            throw Failure(
                status: .failure, detail: "The server at \(base) has no login for people.",
                nextStep: "Check the base URL. A server of an earlier version needs an API key: espalierctl config set api-key")
        }
        guard response.statusCode == 200 else { throw Problem(data, response).failure }
        guard let metadata = try? JSONDecoder().decode(JSON.self, from: data) else { throw .shape() }
        var server = try LoginServer(metadata, base: base)
        server.timeout = timeout
        return server
    }

    /// The response of an endpoint to a form.
    struct Answer {
        var status: Int
        var json: JSON

        /// The token of a successful response.
        var token: LoginToken? {
            guard status == 200, json["token_type"]?.string?.lowercased() == "bearer" else { return nil }
            return json["access_token"]?.string.flatMap(LoginToken.init)
        }

        /// The failure for an error response (RFC 6749, section 5.2).
        var failure: Failure {
            guard let code = json["error"]?.string else { return .shape() }
            return Failure(
                status: .failure, detail: json["error_description"]?.string ?? "The server refused the login (\(code)).",
                nextStep: "Run the command again.")
        }
    }

    /// Posts a form to an endpoint.
    func post(_ endpoint: String, _ fields: KeyValuePairs<String, String?>) async throws(Failure) -> Answer {
        guard let url = URL(string: endpoint) else { throw .shape() }
        var request = URLRequest(url: url, timeoutInterval: timeout)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(Self.form(fields).utf8)
        let (data, response) = try await Self.send(request)
        let json = (try? JSONDecoder().decode(JSON.self, from: data)) ?? .null
        if response.statusCode != 200, json["error"] == nil { throw Problem(data, response).failure }
        return Answer(status: response.statusCode, json: json)
    }

    /// The fields that have a value, as in a query.
    static func form(_ fields: KeyValuePairs<String, String?>) -> String {
        fields.compactMap { name, value in value.map { "\(name)=\($0.inQuery)" } }.joined(separator: "&")
    }

    private static func send(_ request: URLRequest) async throws(Failure) -> (Data, HTTPURLResponse) {
        var request = request
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue("espalierctl/\(Espalierctl.version)", forHTTPHeaderField: "User-Agent")
        switch await APIClient.exchange(request) {
        case .success(let answer): return answer
        case .failure(let error):
            throw Failure(
                status: .failure, detail: "\(request.url?.host() ?? "The server") is unreachable: \(error.localizedDescription)",
                nextStep: "Check the base URL, and check that Espalier is running.")
        }
    }
}
