import Configuration
import Logging
import Postgres

/// What archiving and restoring need: the role that owns the schema, since that which serves may take nothing out of the ledger, and no
/// master key.
struct ArchiveSettings {
    /// How many whole months stay in the ledger besides the current one; nil where nobody has said.
    let retention: Int?
    /// The folder into which older months go; nil where nobody has said.
    let folder: String?
    private let ownerURL: String

    init(_ reader: ConfigReader) throws {
        let reader = reader.scoped(to: "espalier")
        ownerURL = try Settings.ownerURL(reader)
        let retention = reader.string(forKey: "usage.retention") ?? ""
        self.retention = retention.isEmpty ? nil : try Settings.number(reader, "usage.retention", default: 0)
        guard self.retention.map((1...1200).contains) ?? true else {
            throw Settings.Refusal(
                description: "ESPALIER_USAGE_RETENTION must be between 1 and 1200: the months that stay besides the current one.")
        }
        let folder = reader.string(forKey: "usage.archive") ?? ""
        self.folder = folder.isEmpty ? nil : folder
    }

    /// A whole month of the ledger is read or written in one statement.
    func pool() throws -> DatabasePool {
        var configuration = DatabasePool.Configuration(url: ownerURL, maximumConnections: 2, applicationName: "espalier")
        configuration.statementTimeout = .seconds(3600)
        return try DatabasePool(configuration, logger: Logger(label: "espalier") { JSONLog(label: $0, level: .error) })
    }
}
