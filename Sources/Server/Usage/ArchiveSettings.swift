import Configuration
import Logging
import Postgres

/// The settings for archiving and restoring. They need the role that owns the schema, because the server's role cannot remove events
/// from the ledger. They need no master key.
struct ArchiveSettings {
    /// The number of whole months that stay in the ledger besides the current one; nil without a setting.
    let retention: Int?
    /// The folder for older months; nil without a setting.
    let folder: String?
    private let ownerURL: String

    init(_ reader: ConfigReader) throws {
        let reader = reader.scoped(to: "espalier")
        ownerURL = try Settings.ownerURL(reader)
        let retention = reader.string(forKey: "usage.retention") ?? ""
        self.retention = retention.isEmpty ? nil : try Settings.number(reader, "usage.retention", default: 0)
        guard self.retention.map((1...1200).contains) ?? true else {
            throw Settings.Refusal(
                description: "ESPALIER_USAGE_RETENTION must be between 1 and 1200, the months that stay besides the current one.")
        }
        let folder = reader.string(forKey: "usage.archive") ?? ""
        self.folder = folder.isEmpty ? nil : folder
    }

    /// One statement reads or writes a whole month of the ledger.
    /// - Throws: `Settings.Refusal` for a pooler that does not work.
    func pool() async throws -> DatabasePool {
        try await Pooling.check(ownerURL)
        var configuration = DatabasePool.Configuration(url: ownerURL, maximumConnections: 2, applicationName: "espalier")
        configuration.statementTimeout = .seconds(3600)
        return try DatabasePool(configuration, logger: Logger(label: "espalier") { _ in JSONLog(level: .error) })
    }
}
