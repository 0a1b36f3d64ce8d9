import Foundation

/// One of the process's two ways to speak: the standard output for data, the standard error for talk.
struct Terminal {
    static let standardOutput = Terminal(handle: .standardOutput, environment: ProcessInfo.processInfo.environment)
    static let standardError = Terminal(handle: .standardError, environment: ProcessInfo.processInfo.environment)

    private let handle: FileHandle
    /// Whether someone looks who likes colours (no-color.org).
    private let isColoured: Bool

    init(handle: FileHandle, environment: [String: String]) {
        self.handle = handle
        isColoured = isatty(handle.fileDescriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes data and ends its last line.
    /// - Throws: ``Failure``, when nobody takes it, as on a full disk: a cut-off answer must not look like a whole one.
    func write(_ text: String) throws(Failure) {
        do {
            try handle.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
        } catch {
            throw Failure(
                status: .failure, detail: "The answer can't be written: \(error.localizedDescription)",
                nextStep: "Check where the output goes.")
        }
    }

    /// Tells a person something. When even that can't be written there is nobody left to tell.
    func report(_ text: String) {
        try? write(text)
    }

    /// Tells what failed, by which request, and what to try.
    func report(_ failure: Failure) {
        let label = isColoured ? "\u{1B}[1;31merror:\u{1B}[0m" : "error:"
        var lines = ["\(label) \(failure.detail.printable)"]
        if let requestID = failure.requestID { lines.append("request id: \(requestID.printable)") }
        lines.append("next: \(failure.nextStep)")
        report(lines.joined(separator: "\n"))
    }
}

extension String {
    /// The text without control characters: what a server sends must not move the cursor or retitle the window.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
