import Apple
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The part of the simulator's developer portal that one connection needs.
struct ApplePortal {
    let url: String

    /// The connection in a seed plan.
    struct Connection: Encodable {
        let team_id, services_id, key_id, key: String

        /// A client secret for a day.
        func clientSecret(at now: Date) async throws -> String {
            let key = try ApplePrivateKey(pem: key)
            let credentials = AppleClientCredentials(
                teamID: team_id, clientID: services_id, keyID: key_id, keyVersion: key_id,
                share: AppleShare(connection: UUID(), tenant: UUID())
            ) { key }
            return try await ClientSecret.mint(for: credentials, audience: "https://appleid.apple.com", at: now, lifetime: 86_400)
        }
    }

    /// Registers a team with one Services ID and one key.
    func registerSharedConnection(returningTo returnURL: String) async throws -> Connection {
        struct Team: Encodable {}
        struct ServicesID: Encodable {
            let team, display_name: String
            let return_urls: [String]
        }
        struct Key: Encodable {
            let team: String
        }
        struct NewKey: Decodable {
            let id, private_key: String
        }
        let (team, servicesID) = ("BENCHTEAM1", "com.example.bench")
        try await send("PUT", "teams/\(team)", Team())
        try await send("PUT", "services-ids/\(servicesID)", ServicesID(team: team, display_name: "Bench", return_urls: [returnURL]))
        let key = try JSONDecoder().decode(NewKey.self, from: try await send("POST", "keys", Key(team: team)))
        return Connection(team_id: team, services_id: servicesID, key_id: key.id, key: key.private_key)
    }

    /// Delays each response of one of Apple's endpoints.
    func slow(_ endpoint: String, milliseconds: Int) async throws {
        struct Fault: Encodable {
            let fault = "slow"
            let endpoint: String
            let milliseconds: Int
        }
        try await send("POST", "faults", Fault(endpoint: endpoint, milliseconds: milliseconds))
    }

    @discardableResult
    private func send(_ method: String, _ path: String, _ body: some Encodable) async throws -> Data {
        var request = HTTPClientRequest(url: "\(url)/simulator/\(path)")
        request.method = .init(rawValue: method)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let answer = try await response.body.collect(upTo: 1 << 20)
        guard (200..<300).contains(response.status.code) else {
            throw Stage.Failure("the simulator answered \(response.status.code) to \(method) \(path)")
        }
        return Data(answer.readableBytesView)
    }
}
