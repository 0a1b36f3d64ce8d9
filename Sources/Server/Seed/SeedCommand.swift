import Access
import ArgumentParser
import Foundation
import Logging
package import Postgres
import Sealing
import ServiceLifecycle

struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Creates tenants, connections, applications and API keys from a file.",
        discussion: """
            Reads a JSON plan (docs/seed.md), creates all of it or nothing, and prints the created objects. It shows the secrets only this \
            once. Uses the settings of `espalier serve`.
            """)

    @Argument(help: "The plan's path, or - for standard input.")
    var plan: String

    func run() async throws {
        try await orRefuse {
            let settings = try Settings(try await Settings.reader())
            let isStandardInput = plan == "-"
            let data =
                try isStandardInput
                ? FileHandle.standardInput.readToEnd() ?? Data()
                : contents(of: plan)
            let parsed: SeedPlan
            do {
                parsed = try SeedPlan(json: data)
            } catch let error as DecodingError {
                throw Seed.Refusal("\(plan): \(error.place)")
            }
            let folder = isStandardInput ? URL(filePath: ".") : URL(filePath: plan).deletingLastPathComponent()
            let result = try await withPool(settings.databaseURL) { pool in
                let (database, now) = (PlatformDatabase(pool, for: .command), Date())
                let keyring = try await InstalledKeys.open(settings.keyring, in: database, at: now)
                var seed = Seed(keyring: keyring, publicURL: settings.publicURL, folder: folder, at: now)
                return try await seed.run(parsed, in: database)
            }
            print(try result.json)
        }
    }

    private func contents(of path: String) throws -> Data {
        do { return try Data(contentsOf: URL(filePath: path)) } catch { throw Seed.Refusal("\(path) cannot be read. Check the path.") }
    }
}

extension SeedResult {
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// Provides a pool while the body runs.
/// - Throws: `Settings.Refusal` for a pooler that does not work, and the errors of the body.
package func withPool<T: Sendable>(_ url: String, _ body: @Sendable (DatabasePool) async throws -> T) async throws -> T {
    try await Pooling.check(url)
    let pool = try DatabasePool(
        .init(url: url, maximumConnections: 2, applicationName: "espalier"),
        logger: Logger(label: "espalier") { _ in JSONLog(level: .error) })
    return try await body(pool)
}

extension DecodingError {
    /// The position of the error in a document, and the expected content.
    var place: String {
        let context: Context
        switch self {
        case .keyNotFound(let key, let found): return "\(Self.path(found.codingPath)) has no \"\(key.stringValue)\""
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
        @unknown default: return "cannot be read"
        }
        return "\(Self.path(context.codingPath)): \(context.debugDescription)"
    }

    private static func path(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the document" : path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
