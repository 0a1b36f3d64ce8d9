/// What the doctor found, step by step, with a mark for each.
struct CheckReport {
    private static let marks = ["passed": "✓", "failed": "✗", "unreachable": "?", "skipped": "-"]
    private static let colours = ["passed": "32", "failed": "1;31", "unreachable": "33"]

    /// A `connection_check`, or a connection's `check`.
    let json: JSON

    var outcome: String { json["outcome"]?.string ?? "" }
    var isPassed: Bool { outcome == "passed" }

    /// - Throws: ``Failure``, when it is no report.
    func text(isColoured: Bool) throws(Failure) -> String {
        guard let steps = json["steps"]?.elements else { throw .shape() }
        let width = steps.map { $0["step"]?.text.count ?? 0 }.max() ?? 0
        return steps.map { step in
            let (name, outcome) = (step["step"]?.text ?? "", step["outcome"]?.text ?? "")
            var mark = Self.marks[outcome] ?? "?"
            if isColoured, let colour = Self.colours[outcome] { mark = "\u{1B}[\(colour)m\(mark)\u{1B}[0m" }
            let padding = String(repeating: " ", count: width - name.count)
            return "\(mark) \(name.printable)\(padding)  \((step["detail"]?.text ?? outcome).printable)\n"
        }.joined()
    }

    /// What to do about it; nil when nothing is to be done.
    var failure: Failure? {
        switch outcome {
        case "passed":
            nil
        case "unreachable":
            Failure(
                status: .failure, detail: "Apple couldn't be asked.",
                nextStep: "Check that Espalier may reach Apple, then run espalierctl connections check again.")
        default:
            Failure(
                status: .failure, detail: "Apple doesn't accept this connection.",
                nextStep: "Correct what is marked ✗, then run espalierctl connections check again.")
        }
    }
}
