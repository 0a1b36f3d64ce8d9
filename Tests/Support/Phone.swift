import Access
package import Apple
package import AsyncHTTPClient
import Crypto
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Postgres
package import Server
import Tenancy

/// A device with a tenant's native application: Apple's framework, and the application that calls Espalier.
package struct Phone: Sendable {
    package let platform: TestPlatform
    package let tenant: SeedResult.TenantResult
    package let application: SeedResult.App
    package let bundleID: String
    package let otherBundleID: String

    /// Registers two bundle IDs at Apple and at the tenant's connection, and the first one also at its native application.
    package static func make(_ platform: TestPlatform, tenant number: Int = 0) async throws -> Phone {
        let (tenant, side) = (platform.seeded.tenants[number], number == 0 ? platform.own : platform.shared)
        let ids = (0..<2).map { _ in "com.example.\(TestBrowser.randomText().prefix(12))" }
        try await platform.simulator.send(.PUT, "/simulator/teams/\(side.team)", ["bundle_ids": ids])
        let phone = Phone(
            platform: platform, tenant: tenant, application: tenant.applications[1], bundleID: ids[0], otherBundleID: ids[1])
        _ = try await platform.ownerPool.run("UPDATE connection SET bundle_ids = \(ids) WHERE team_id = \(side.team)")
        try await platform.setBundleIDs([ids[0]], of: phone.application)
        return phone
    }

    package var callback: String { "\(tenant.issuer)/auth/apple/callback" }

    // MARK: Apple's framework

    /// The response of Apple's framework to the application.
    package struct Credential: Sendable {
        package var idToken: String
        package var code: String
        /// The application's nonce. The framework received its SHA-256, as in Apple's examples.
        package var nonce: String?
        /// Present only the first time.
        package var name: (given: String, family: String)?

        /// The body that the application sends to Espalier.
        package var body: [String: any Sendable] {
            var body: [String: any Sendable] = ["id_token": idToken, "code": code]
            body["nonce"] = nonce
            if let name { body["user"] = ["name": ["firstName": name.given, "lastName": name.family]] }
            return body
        }
    }

    /// - Parameters:
    ///   - sent: the nonce for the framework; nil for none.
    ///   - client: the bundle ID of the requesting application, if it is not the usual one.
    package func authorize(
        _ person: String = "new", nonce: String? = TestBrowser.randomText(), sent: (String) -> String? = Self.sha256,
        as client: String? = nil
    ) async throws -> Credential {
        var fields: [String: any Sendable] = ["client_id": client ?? bundleID, "person": person]
        fields["nonce"] = nonce.flatMap(sent)
        let data = try await platform.simulator.send(.POST, "/simulator/native-authorizations", fields)
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: any Sendable] ?? [:]
        let name = answer["full_name"] as? [String: String]
        return Credential(
            idToken: answer["identity_token"] as? String ?? "", code: answer["authorization_code"] as? String ?? "", nonce: nonce,
            name: name.map { ($0["given_name"] ?? "", $0["family_name"] ?? "") })
    }

    package static func sha256(_ text: String) -> String? {
        Array(SHA256.hash(data: Data(text.utf8))).map { String(format: "%02x", $0) }.joined()
    }

    /// A credential whose id_token Apple signed with one invalid claim. Its code is used up.
    package func authorize(_ person: String = "new", breaking fault: [String: any Sendable]) async throws -> Credential {
        var credential = try await authorize(person)
        try await platform.simulator.fault(["endpoint": "token", "client_id": bundleID, "times": 1].merging(fault) { $1 })
        credential.idToken = try await redeemAtApple(credential.code).idToken
        return credential
    }

    /// Redeems a code at Apple without Espalier, as the tenant's own server does.
    package func redeemAtApple(_ code: String) async throws -> AppleTokens {
        let configuration = try await platform.configuration(of: tenant)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try await AppleClient(platform.settings.apple, http: .forApple, logger: logger).redeem(
            code: code, redirectURI: nil,
            credentials: .init(
                teamID: configuration.connection!.teamID, clientID: bundleID, key: configuration.appleKey!,
                for: configuration.tenant.id.uuid, keyring: platform.settings.keyring), at: Date())
    }

    // MARK: The application

    /// Posts JSON to the callback.
    package func send(
        _ body: [String: any Sendable], to url: String? = nil, headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        return try await TestBrowser(platform).send(
            "POST", url ?? callback, headers: [("Content-Type", "application/json")] + headers, body: text)
    }

    /// A complete sign-in at the callback.
    package func login(_ person: String, withCode: Bool) async throws -> TestPlatform.LoggedIn {
        var body = try await authorize(person).body
        if !withCode { body["code"] = nil }
        let tokens = try await send(body)
        let claims = try claims(of: tokens.string("access_token"))
        return TestPlatform.LoggedIn(
            browser: TestBrowser(platform), request: .init(tenant, application: 1), user: claims["sub"] as? String ?? "",
            session: claims["sid"] as? String ?? "", access: tokens.string("access_token") ?? "",
            refresh: tokens.string("refresh_token") ?? "", idToken: tokens.string("id_token") ?? "")
    }

    /// Exchanges the id_token at the token endpoint.
    package func exchange(_ credential: Credential, changing changes: [String: String?] = [:]) async throws -> TestBrowser.Answer {
        var form: [String: String] = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": credential.idToken,
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "client_id": application.client_id,
            "code": credential.code,
        ]
        form["nonce"] = credential.nonce
        for (name, value) in changes { form[name] = value }
        return try await TestBrowser(platform).post("\(tenant.issuer)/oauth2/token", form: form.map { ($0, $1) })
    }
}

extension TestPlatform {
    package func setBundleIDs(_ ids: [String], of application: SeedResult.App) async throws {
        let id = ID<Tenancy.Application>(application.client_id)
        _ = try await ownerPool.run("UPDATE application SET kind = 'native', bundle_ids = \(ids) WHERE id = \(id)")
        // The next request must not come before the notification of this change.
        installation.directory.forget(.platform)
    }
}

extension HTTPClient {
    /// For calls to Apple outside a server. It serves all tests, and nobody shuts it down.
    package static let forApple = AppleClient.makeHTTP(AppleClient.httpConfiguration(for: AppleSettings()))
}
