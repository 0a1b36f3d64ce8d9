import AppleSimulator
import ArgumentParser
import Foundation
import Logging
import NIOCore
import Server
import ServiceLifecycle

struct SimulateApple: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a strict simulator of Apple's servers.",
        discussion: "Register teams, Services IDs and keys with a file or over HTTP. docs/simulator.md describes this.")

    @Option(help: "The loopback port.")
    var port = 8082

    @Option(help: ArgumentHelp("The registry that it loads at the start.", valueName: "file"))
    var registry: String?

    @Option(help: "The issuer of its tokens and the audience of client secrets.")
    var issuer = "https://appleid.apple.com"

    @Flag(name: .customLong("strict-return-urls"), help: "Rejects Return URLs on loopback, as Apple does.")
    var strictReturnURLs = false

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    func run() async throws {
        let logger = Logger(label: "apple-simulator") { _ in JSONLog(level: .info) }
        let simulator = try await orRefuse {
            let known = try registry.map { file in
                do {
                    return try Registry(contentsOf: URL(filePath: file), allowsLoopback: !strictReturnURLs)
                } catch is CocoaError {
                    throw Settings.Refusal(description: "--registry: \(file) cannot be read. Check its path and permissions.")
                }
            }
            return AppleSimulator(
                .init(port: port, issuer: issuer, allowsLoopbackRedirects: !strictReturnURLs, registry: known ?? Registry()), logger: logger
            )
        }
        try await orRefuse {
            do {
                try await ServiceGroup.run([simulator], logger: logger)
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                throw Settings.Refusal(description: "Port \(port) is in use. Choose another port with --port.")
            }
        }
    }
}
