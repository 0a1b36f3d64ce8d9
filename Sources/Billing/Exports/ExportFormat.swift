/// The format of a usage export.
enum ExportFormat: String, CaseIterable, Sendable {
    /// The ledger's events, one per line, after a header.
    case csv
    /// The ledger's events, one JSON object per line.
    case jsonl
    /// The ledger's events as CloudEvents 1.0, one per line.
    case cloudevents
    /// Charges in the format of the FinOps Open Cost and Usage Specification 1.2.
    case focus

    var mediaType: String {
        switch self {
        case .csv, .focus: "text/csv; charset=utf-8; header=present"
        case .jsonl, .cloudevents: "application/jsonl"
        }
    }

    var fileExtension: String {
        switch self {
        case .csv, .focus: "csv"
        case .jsonl, .cloudevents: "jsonl"
        }
    }
}

enum ExportCompression: String, CaseIterable, Sendable {
    case gzip
}
