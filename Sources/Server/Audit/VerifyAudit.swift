import Access
import ArgumentParser
import Foundation
import Postgres
import Tenancy

struct VerifyAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Proves that no audit event was changed, removed, inserted or moved.",
        discussion: """
            Calculates the hash chain of every trail again and prints a line for each: its owner, its number of events, and its head. \
            Exits with 1 if a chain is broken, and prints the place. Uses the settings of `espalier serve`.

            Anyone with full access to the database could create a whole new chain. So store heads outside the database and compare them: \
            espalier audit verify --tenant acme --expect 17:9f86…
            """)

    @Option(help: ArgumentHelp("Verifies only the trail of this tenant.", valueName: "slug"))
    var tenant: String?

    @Flag(help: "Verifies only the platform's own trail.")
    var platform = false

    @Option(
        help: ArgumentHelp("A head of this trail from an earlier run. The trail must still contain it.", valueName: "sequence:hash"))
    var expect: String?

    private var expected: AuditTrail.Head? { expect.flatMap { AuditTrail.Head($0) } }

    func validate() throws {
        guard tenant == nil || !platform else { throw ValidationError("Pass either --tenant or --platform.") }
        guard expect == nil || tenant != nil || platform
        else { throw ValidationError("--expect needs --tenant or --platform.") }
        guard expect == nil || expected != nil
        else { throw ValidationError("--expect must be a head from this command: a number, a colon and 64 hexadecimal digits.") }
    }

    func run() async throws {
        let breaks = try await orRefuse {
            let settings = try Settings(try await Settings.reader())
            return try await withPool(settings.databaseURL) { pool in try await verify(PlatformDatabase(pool, for: .command)) }
        }
        guard breaks.isEmpty else {
            for line in breaks { FileHandle.standardError.write(Data("espalier: \(line)\n".utf8)) }
            throw ExitCode.failure
        }
    }

    /// Prints a line for each trail as soon as it is read.
    /// - Returns: The problems, one per line.
    private func verify(_ database: PlatformDatabase) async throws -> [String] {
        var owners = try await database.run(AuditTrail.owners(tenants: Tenant.slugs)).map { try AuditTrail.Owner($0) }
        if let tenant {
            owners.removeAll { $0.slug != tenant }
            guard !owners.isEmpty else { throw Settings.Refusal(description: "Tenant \(tenant) not found. Check the slug.") }
        }
        if platform { owners.removeAll { $0.id != .platform } }
        let names = owners.map { $0.id == .platform ? "(platform)" : $0.slug ?? "(\($0.id.uuidString.lowercased()))" }
        let width = names.map(\.count).max() ?? 0
        var breaks: [String] = []
        for (owner, name) in zip(owners, names) {
            let trail = try await AuditTrail.verify(owner.id, expecting: expected, in: database)
            let count = String(trail.count)
            print(
                name + String(repeating: " ", count: width - name.count), String(repeating: " ", count: max(0, 8 - count.count)) + count,
                trail.head?.description ?? "-", separator: "  ")
            breaks += trail.breaks.map { "\(name): \($0)" }
        }
        return breaks
    }
}
