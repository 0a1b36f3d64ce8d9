import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import espalierctl

/// A server that issues logins, and a person with a browser.
final class LoginPlatform: Sendable {
    static let token = "eps_" + String(repeating: "a", count: 43)
    static let secondToken = "eps_" + String(repeating: "b", count: 43)

    let folder: TemporaryFolder
    let server: StubServer
    var base: String { server.baseURL }

    /// - Parameters:
    ///   - tokens: the responses of the token endpoint, in order. The last one repeats.
    ///   - metadata: changes the metadata.
    ///   - others: the responses to calls of the REST API.
    init(
        tokens: [StubServer.Answer] = [.token(token)], interval: Int = 1,
        metadata change: @escaping @Sendable (String) -> String = { $0 },
        others: @escaping @Sendable (StubServer.Request) -> StubServer.Answer = { _ in .init(body: Examples.tenant) }
    ) throws {
        folder = try TemporaryFolder()
        let left = Mutex(tokens)
        server = try StubServer { request in
            let base = "http://\(request.header("Host") ?? "")"
            switch request.path {
            case "/account/.well-known/oauth-authorization-server":
                let paths = [
                    "authorization": "authorize", "token": "token", "device_authorization": "device_authorization", "revocation": "revoke",
                ]
                let endpoints = paths.map { "\"\($0)_endpoint\":\"\(base)/account/oauth2/\($1)\"" }.joined(separator: ",")
                return .init(body: change(#"{"issuer":"\#(base)/account",\#(endpoints)}"#))
            case "/account/oauth2/device_authorization":
                return .init(
                    body: #"""
                        {"device_code":"edc_1","user_code":"BCDF-GHJK","verification_uri":"\#(base)/account/device","expires_in":600,\#
                        "interval":\#(interval)}
                        """#)
            case "/account/oauth2/token": return left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            case "/account/oauth2/revoke": return .init(body: "")
            default: return others(request)
            }
        }
    }

    /// The environment of a person with a browser that writes its address into a file.
    func environment(browser: Bool = true, keyring: Bool = false) throws -> [String: String] {
        var environment = ["ESPALIER_BASE_URL": base, "XDG_CONFIG_HOME": folder.path("config"), "PATH": folder.path("bin")]
        if browser {
            try folder.file(
                "bin/xdg-open",
                "#!/bin/sh\nprintf '%s' \"$1\" > '\(folder.path("new"))'\n/bin/mv '\(folder.path("new"))' '\(folder.path("opened"))'\n",
                mode: 0o700)
            environment["DISPLAY"] = ":0"
        }
        if keyring {
            let script = #"""
                #!/bin/sh
                cd '\#(folder.path(""))'
                echo "$@ key:$ESPALIER_API_KEY" >> calls
                case "$1" in
                store) /bin/cat > secret ;;
                lookup) [ -f secret ] && /bin/cat secret ;;
                clear) /bin/rm -f secret ;;
                esac
                """#
            try folder.file("bin/secret-tool", script, mode: 0o700)
        }
        return environment
    }

    /// Stores a login in the file.
    func logIn(_ token: String = token) throws {
        try folder.file("config/espalierctl/credentials.json", #"{"logins":{"\#(base)":"\#(token)"}}"#)
    }

    /// Waits until the browser has an address.
    /// - Returns: the fields of the authorization request.
    func opened() async throws -> [String: String] {
        for _ in 0..<600 where !folder.exists("opened") { try await Task.sleep(for: .milliseconds(100)) }
        let address = try folder.text("opened")
        try FileManager.default.removeItem(atPath: folder.path("opened"))
        let items = URLComponents(string: address)?.queryItems ?? []
        var fields = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
        fields["address"] = address
        return fields
    }

    /// Sends the response of the authorization endpoint to the loopback port, as a browser does.
    /// - Returns: the status and the page.
    func callBack(_ request: [String: String], _ fields: [String: String] = [:], host: String? = nil) async throws -> (Int, String) {
        var values = ["code": "code-1", "state": request["state"] ?? "", "iss": "\(base)/account"]
        for (name, value) in fields { values[name] = value.isEmpty ? nil : value }
        let query = values.map { "\($0)=\($1.inQuery)" }.joined(separator: "&")
        return try await get("\(request["redirect_uri"] ?? "")?\(query)", host: host)
    }

    func get(_ address: String, host: String? = nil) async throws -> (Int, String) {
        var request = URLRequest(url: try #require(URL(string: address)))
        if let host { request.setValue(host, forHTTPHeaderField: "Host") }
        let (data, response) = try await APIClient.exchange(request).get()
        return (response.statusCode, String(decoding: data, as: UTF8.self))
    }
}

extension StubServer.Answer {
    static func token(_ token: String) -> Self { .init(body: #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":7776000}"#) }

    static func refusal(_ error: String) -> Self { .init(status: 400, body: #"{"error":"\#(error)"}"#) }
}
