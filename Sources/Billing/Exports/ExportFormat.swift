/// In which form usage is exported.
enum ExportFormat: String, CaseIterable, Sendable {
    /// The ledger's events, one a line, under a header.
    case csv
    /// The same, one JSON object a line.
    case jsonl
    /// The same as CloudEvents 1.0, one a line.
    case cloudevents
    /// Charges by the FinOps Open Cost and Usage Specification 1.2.
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
