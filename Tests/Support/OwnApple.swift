import Access
import Apple
import AppleSimulator
import AsyncHTTPClient
package import Crypto
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Postgres
import Sealing
package import Server
import Tenancy

/// An Apple simulator for one test, which may disturb others: new signing keys, or unavailable keys.
package struct OwnApple: Sendable {
    package let url: String

    /// Starts a simulator for the body, with a platform whose tenant Acme is registered there.
    package static func run(
        _ adjust: @Sendable @escaping (inout Settings) -> Void = { _ in },
        _ body: @Sendable @escaping (TestPlatform, OwnApple) async throws -> Void
    ) async throws {
        let simulator = AppleSimulator(.init(), logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await simulator.run() }
            let apple = OwnApple(url: try await simulator.url)
            try await TestPlatform.run({ settings in
                settings.apple.baseURL = apple.url
                adjust(&settings)
            }) { platform in
                try await apple.register(platform)
                try await body(platform, apple)
            }
            tasks.cancelAll()
        }
    }

    /// Registers Acme's team and Services ID here, too, with a key that is then stored in the database.
    private func register(_ platform: TestPlatform) async throws {
        try await send("PUT", "/simulator/teams/\(platform.own.team)", [:])
        try await send(
            "PUT", "/simulator/services-ids/\(platform.own.servicesID)",
            ["team": platform.own.team, "display_name": "Acme", "return_urls": [platform.acme.return_url]])
        let key = P256.Signing.PrivateKey()
        try await send(
            "POST", "/simulator/keys",
            ["team": platform.own.team, "id": platform.own.keyID, "public_key": key.publicKey.pemRepresentation])
        try await platform.replaceAppleKey(with: key, keyID: platform.own.keyID)
    }

    package func fault(_ fields: [String: any Sendable]) async throws {
        try await send("POST", "/simulator/faults", fields)
    }

    package func send(_ method: String, _ path: String, _ body: [String: any Sendable]) async throws {
        var request = HTTPClientRequest(url: url + path)
        request.method = .init(rawValue: method)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        guard (200..<300).contains(response.status.code) else { throw Refused(status: response.status.code) }
    }

    private struct Refused: Error {
        let status: UInt
    }
}

extension TestPlatform {
    /// Replaces the current Apple key of Acme's connection.
    package func replaceAppleKey(with key: P256.Signing.PrivateKey, keyID: String) async throws {
        let tenant = ID<Tenant>(acme.id)!
        let id = ID<AppleKey>(at: Date())
        let sealed = settings.keyring.seal(Array(key.pemRepresentation.utf8), in: AppleKey.context(owner: tenant.uuid, id: id))
        let connection = try await ownerPool.run("SELECT id FROM connection WHERE tenant_id = \(tenant)")
            .first { try $0.get("id", as: ID<Connection>.self) }!
        _ = try await ownerPool.run([
            "DELETE FROM apple_key WHERE tenant_id = \(tenant)",
            AppleKey.insert(
                id, owner: tenant.uuid, connection: connection, keyID: keyID, sealedPEM: sealed, state: .current, at: Date()),
        ])
    }
}
