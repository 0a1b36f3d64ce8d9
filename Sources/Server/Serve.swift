import ArgumentParser
import Foundation
import Logging
import NIOCore
package import Postgres
import ServiceLifecycle
import Web

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server.",
        discussion: """
            Settings come from the environment, or from the JSON file that ESPALIER_CONFIG_FILE names. docs/settings.md lists them. On \
            SIGTERM or SIGINT, /healthz and /readyz fail. After ESPALIER_SHUTDOWN_DELAY, the server closes its port and finishes its open \
            requests. A second signal stops it at once.
            """)

    @OptionGroup var migrations: MigrationsFolder

    func run() async throws {
        let asked = try await orRefuse { try Settings(try await Settings.reader()) }
        let logger = Logger(label: "espalier") { _ in JSONLog(level: asked.logLevel) }
        LargeBlocks.separate()
        BatchScheduling.adopt(logger: logger)
        let openFiles = OpenFiles.raise(to: asked.connections.total + asked.reservedFiles)
        var settings = try await orRefuse { try asked.fitting(openFiles: openFiles, logger: logger) }
        let migrator = try await orRefuse { try migrations.migrator }
        let preflight = Preflight(settings, migrator: migrator, logger: logger)
        settings.keyring = try await orRefuse { try await preflight.run(at: Date()) }
        let installation = try await orRefuse { [settings] in
            try Installation(settings, migrator: migrator, logger: logger) { port in
                logger.notice("serving", metadata: ["public_url": "\(settings.publicURL)", "port": "\(port)"])
            }
        }
        try await orRefuse { [settings] in
            do {
                try await ServiceGroup.run(
                    installation.services + [StartPages()], logger: logger, delay: .seconds(settings.shutdownDelay)
                ) {
                    installation.announceStop()
                    logger.notice("stopping", metadata: ["delay": "\(settings.shutdownDelay)"])
                }
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                throw Settings.Refusal(
                    description: "ESPALIER_PORT (\(settings.port)) or ESPALIER_OPERATIONS_PORT (\(settings.operationsPort)) is in use.")
            } catch let error where error is SocketAddressError.UnknownHost || (error as? IOError)?.errnoCode == EADDRNOTAVAIL {
                throw Settings.Refusal(
                    description: "ESPALIER_HOST (\(settings.host)) or ESPALIER_OPERATIONS_HOST (\(settings.operationsHost)) is not an "
                        + "address of this machine.")
            }
        }
    }
}

/// The folder of the migrations.
package struct MigrationsFolder: ParsableArguments {
    @Option(name: .customLong("migrations"), help: ArgumentHelp("The folder of migrations.", valueName: "folder"))
    var path = "migrations"

    package var migrator: Migrator {
        get throws {
            guard FileManager.default.fileExists(atPath: path) else {
                throw Settings.Refusal(description: "The folder \(path) does not exist. Name the migrations' folder with --migrations.")
            }
            return try Migrator(folder: path)
        }
    }
}

/// Prints an error that prevents the start as one line on standard error, and exits with code 1.
@discardableResult
package func orRefuse<T>(_ body: () async throws -> T) async throws -> T {
    do {
        return try await body()
    } catch let error as CleanExit {
        throw error
    } catch {
        // The cause is the last line.
        LogOutput.standardError.flush()
        FileHandle.standardError.write(Data("\(CommandLineProgram.name): \(error)\n".utf8))
        throw ExitCode.failure
    }
}
