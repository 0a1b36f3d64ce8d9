import Foundation

/// An output stream of the process: the standard output for data, or the standard error for messages.
struct Terminal {
    static let standardOutput = Terminal(handle: .standardOutput, environment: ProcessInfo.processInfo.environment)
    static let standardError = Terminal(handle: .standardError, environment: ProcessInfo.processInfo.environment)

    private let handle: FileHandle
    /// The width that the environment states (`COLUMNS`), for a terminal that does not know its own.
    private let statedWidth: Int?
    /// Whether the output uses colors. `NO_COLOR` turns them off (no-color.org).
    let isColored: Bool

    /// Whether the stream is a terminal that can redraw a line.
    let isInteractive: Bool

    init(handle: FileHandle, environment: [String: String]) {
        self.handle = handle
        statedWidth = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        isInteractive = isatty(handle.fileDescriptor) == 1 && environment["TERM"] != "dumb"
        isColored = isInteractive && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The width of the terminal in characters. Nil if the stream is not a terminal.
    var width: Int? {
        guard isatty(handle.fileDescriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(handle.fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return statedWidth }
        return Int(size.ws_col)
    }

    /// Writes data and ends its last line.
    /// - Throws: ``Failure`` if the write fails, for example on a full disk. A cut-off output must not look complete.
    func write(_ text: String) throws(Failure) {
        try writeUnended(text.hasSuffix("\n") ? text : text + "\n")
    }

    /// Writes text without a line end, for example before an answer.
    func writeUnended(_ text: String) throws(Failure) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw Failure(
                status: .failure, detail: "The output cannot be written: \(error.reason).",
                nextStep: "Check the destination of the output.")
        }
    }

    /// Writes a message. A failed write is ignored, because there is no other place to report it.
    func report(_ text: String) {
        try? write(text)
    }

    /// Writes a failure: the problem, the request ID and the next step.
    func report(_ failure: Failure) {
        let label = isColored ? "\u{1B}[1;31merror:\u{1B}[0m" : "error:"
        var lines = ["\(label) \(failure.detail.printable)"]
        lines += failure.fields.map { "  \($0.printable)" }
        if let requestID = failure.requestID { lines.append("request id: \(requestID.printable)") }
        lines.append("next: \(failure.nextStep.printable)")
        report(lines.joined(separator: "\n"))
    }
}

extension Error {
    /// The system's description of the cause. Foundation's own description on Linux shows only the number of an error domain.
    var reason: String {
        let cause = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? self
        let code =
            (cause as? POSIXError)?.code.rawValue
            ?? ((cause as NSError).domain == NSPOSIXErrorDomain ? Int32((cause as NSError).code) : nil)
        return code.map { String(cString: strerror($0)) } ?? localizedDescription
    }
}

extension String {
    /// The text without control characters. A server's text must not move the cursor or change the title of the window.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
