import Access
import ArgumentParser
import Foundation
import Postgres
import Tenancy

struct VerifyAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Prove that no audit event was changed, removed, put in or moved.",
        discussion: """
            Computes the chain of hashes of every trail anew and prints a line for each: whose it is, how many events it has, and its \
            head. Exits with 1 if a chain is broken, and says where. Settings are those of `espalier serve`.

            Who can do anything in the database could make a whole chain anew. So keep heads where they cannot be reached, and \
            compare: espalier audit verify --tenant acme --expect 17:9f86…
            """)

    @Option(help: ArgumentHelp("Only the trail of this tenant.", valueName: "slug"))
    var tenant: String?

    @Flag(help: "Only the platform's own trail.")
    var platform = false

    @Option(
        help: ArgumentHelp("A head of this trail that was printed before: the trail must still contain it.", valueName: "sequence:hash"))
    var expect: String?

    private var expected: AuditTrail.Head? { expect.flatMap { AuditTrail.Head($0) } }

    func validate() throws {
        guard tenant == nil || !platform else { throw ValidationError("Give either --tenant or --platform.") }
        guard expect == nil || tenant != nil || platform
        else { throw ValidationError("Say with --tenant or --platform whose trail --expect is about.") }
        guard expect == nil || expected != nil
        else { throw ValidationError("--expect takes a head as this command prints it: a number, a colon and 64 hexadecimal digits.") }
    }

    func run() async throws {
        let breaks = try await orRefuse {
            let settings = try Settings(try await Settings.reader())
            return try await withPool(settings.databaseURL) { pool in try await verify(PlatformDatabase(pool)) }
        }
        guard breaks.isEmpty else {
            for line in breaks { FileHandle.standardError.write(Data("espalier: \(line)\n".utf8)) }
            throw ExitCode.failure
        }
    }

    /// Prints a line for each trail as soon as it is read.
    /// - Returns: what is wrong, a line each.
    private func verify(_ database: PlatformDatabase) async throws -> [String] {
        var owners = try await database.run(AuditTrail.owners(tenants: Tenant.slugs)).map { try AuditTrail.Owner($0) }
        if let tenant {
            owners.removeAll { $0.slug != tenant }
            guard !owners.isEmpty else { throw Settings.Refusal(description: "There is no tenant \(tenant).") }
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
