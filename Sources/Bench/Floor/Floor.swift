import Apple
import ArgumentParser
import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Postgres
import ServiceLifecycle
import UnixSignals
import Web

/// A server that does only what the load's operations need at least. Its cost shows what remains without the rest of Espalier's code.
///
/// It has Espalier's connections, driver and scheduling, its HTTP client for Apple, and its requests run on the event loop of their
/// connection. Each operation has as many round trips to the database as in Espalier, with one trivial statement. A login calls Apple's token
/// endpoint once. It makes and verifies as many signatures. It checks nothing, encrypts nothing and writes no log. Its responses are fixed
/// texts of Espalier's sizes.
struct Floor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs the minimal server that --floor measures.", shouldDisplay: false)

    @Option var port: Int
    @Option var databaseURL: String
    @Option var appleURL: String
    @Option var servicesID: String
    @Option var clientSecret: String

    func run() async throws {
        var logger = Logger(label: "floor") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        BatchScheduling.adopt(logger: logger)
        var database = DatabasePool.Configuration(url: databaseURL, maximumConnections: 8, applicationName: "floor")
        database.minimumConnections = 1
        let pool = try DatabasePool(database, logger: logger)
        let settings = AppleSettings(baseURL: appleURL)
        let apple = AppleClient.makeHTTP(AppleClient.httpConfiguration(for: settings))
        let server = GuardedServer(
            FloorResponder(
                pool: pool, signatures: try FloorSignatures(), texts: FloorTexts(appleURL: appleURL, servicesID: servicesID),
                apple: FloorApple(client: apple, url: appleURL, servicesID: servicesID, clientSecret: clientSecret)),
            host: "127.0.0.1", port: port, limits: ConnectionLimits(total: 2_000, perAddress: nil), counting: OpenConnections(),
            logger: logger
        ) { _ in }
        let services = ServiceGroup(services: [pool, server], gracefulShutdownSignals: [.sigterm], logger: logger)
        try await services.run()
        try await apple.shutdown()
    }
}

/// Apple's token endpoint.
struct FloorApple {
    let client: HTTPClient
    let url: String
    let servicesID: String
    let clientSecret: String

    private static let redirectURI = "http%3A%2F%2Flocalhost%2Fauth%2Fapple%2Fcallback"

    /// Redeems a code.
    /// - Parameter code: The form's field with the code, as Apple encoded it.
    func redeem(_ code: some Sequence<UInt8>) async throws {
        var form = ByteBuffer(string: "grant_type=authorization_code&redirect_uri=\(Self.redirectURI)&client_id=\(servicesID)&")
        form.writeString("client_secret=\(clientSecret)&")
        form.writeBytes(code)
        let request = try HTTPClient.Request(
            url: "\(url)/auth/token", method: .POST, headers: ["content-type": "application/x-www-form-urlencoded"],
            body: .byteBuffer(form))
        let response = try await client.execute(request: request, deadline: .now() + .seconds(10)).get()
        guard response.status == .ok, response.body != nil else { throw Stage.Failure("the simulator answered \(response.status)") }
    }
}

/// The responses of the minimal server, in Espalier's sizes.
struct FloorTexts {
    let toApple: String
    let cookie = "attempt=\(String(repeating: "c", count: 43)); Path=/auth/apple; Max-Age=3600; Secure; HttpOnly; SameSite=None"
    let toApplication = "\(Seeded.redirectURI)?code=\(String(repeating: "c", count: 520))&state=af0ifjsldkj&iss=http%3A%2F%2Flocalhost"
    let tokens =
        "{\"access_token\":\"\(String(repeating: "a", count: 620))\",\"token_type\":\"Bearer\",\"expires_in\":600,"
        + "\"refresh_token\":\"\(String(repeating: "r", count: 80))\",\"id_token\":\"\(String(repeating: "i", count: 760))\","
        + "\"scope\":\"openid profile email\"}"
    let introspection = "{\"active\":true,\"claims\":\"\(String(repeating: "c", count: 400))\"}"
    let tenant = "{\"tenant\":\"\(String(repeating: "t", count: 900))\"}"

    init(appleURL: String, servicesID: String) {
        toApple =
            "\(appleURL)/auth/authorize?client_id=\(servicesID)&redirect_uri=http%3A%2F%2Flocalhost%2Fauth%2Fapple%2Fcallback"
            + "&response_type=code%20id_token&response_mode=form_post&scope=name%20email&state=\(String(repeating: "s", count: 400))"
            + "&nonce=\(String(repeating: "n", count: 43))"
    }
}
