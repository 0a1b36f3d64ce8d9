/// The report of the doctor, with a mark for each step.
struct CheckReport {
    private static let marks = ["passed": "✓", "failed": "✗", "unreachable": "?", "skipped": "-"]
    private static let colors = ["passed": "32", "failed": "1;31", "unreachable": "33"]

    /// A `connection_check`, or a connection's `check`.
    let json: JSON

    var outcome: String { json["outcome"]?.string ?? "" }

    /// The printed report.
    /// - Throws: ``Failure`` if the JSON is not a report.
    func text(isColored: Bool) throws(Failure) -> String {
        guard let steps = json["steps"]?.elements else { throw .shape() }
        let width = steps.map { $0["step"]?.text.count ?? 0 }.max() ?? 0
        return steps.map { step in
            let (name, outcome) = (step["step"]?.text ?? "", step["outcome"]?.text ?? "")
            var mark = Self.marks[outcome] ?? "?"
            if isColored, let color = Self.colors[outcome] { mark = "\u{1B}[\(color)m\(mark)\u{1B}[0m" }
            let padding = String(repeating: " ", count: width - name.count)
            return "\(mark) \(name.printable)\(padding)  \((step["detail"]?.text ?? outcome).printable)\n"
        }.joined()
    }

    /// The failure and its next step. Nil if all steps passed.
    var failure: Failure? {
        switch outcome {
        case "passed":
            nil
        case "unreachable":
            Failure(
                status: .failure, detail: "Apple is unreachable.",
                nextStep: "Check that Espalier can reach Apple, then run espalierctl connections check again.")
        default:
            Failure(
                status: .failure, detail: "Apple does not accept this connection.",
                nextStep: "Correct the steps with ✗, then run espalierctl connections check again.")
        }
    }
}
