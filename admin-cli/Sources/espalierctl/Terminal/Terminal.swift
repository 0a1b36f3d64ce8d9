import Foundation

/// One of the process's two ways to speak: the standard output for data, the standard error for talk.
struct Terminal {
    static let standardOutput = Terminal(handle: .standardOutput, environment: ProcessInfo.processInfo.environment)
    static let standardError = Terminal(handle: .standardError, environment: ProcessInfo.processInfo.environment)

    private let handle: FileHandle
    /// Whether someone looks who likes colours (no-color.org).
    let isColoured: Bool

    /// Whether it is a terminal that can go back on what it showed.
    let isForPeople: Bool

    init(handle: FileHandle, environment: [String: String]) {
        self.handle = handle
        isForPeople = isatty(handle.fileDescriptor) == 1 && environment["TERM"] != "dumb"
        isColoured = isForPeople && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// How many characters a line has room for; nil where it is not a terminal.
    var width: Int? {
        var size = winsize()
        guard isatty(handle.fileDescriptor) == 1, ioctl(handle.fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
        else { return nil }
        return Int(size.ws_col)
    }

    /// Writes data and ends its last line.
    /// - Throws: ``Failure``, when nobody takes it, as on a full disk: a cut-off answer must not look like a whole one.
    func write(_ text: String) throws(Failure) {
        try writeUnended(text.hasSuffix("\n") ? text : text + "\n")
    }

    /// Writes and leaves the cursor where it is, as before an answer.
    func writeUnended(_ text: String) throws(Failure) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw Failure(
                status: .failure, detail: "The answer can't be written: \(error.reason).",
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
        lines += failure.fields.map { "  \($0.printable)" }
        if let requestID = failure.requestID { lines.append("request id: \(requestID.printable)") }
        lines.append("next: \(failure.nextStep.printable)")
        report(lines.joined(separator: "\n"))
    }
}

extension Error {
    /// The system's words for the cause. Foundation's description on Linux is the number of an error domain.
    var reason: String {
        let cause = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? self
        let code =
            (cause as? POSIXError)?.code.rawValue
            ?? ((cause as NSError).domain == NSPOSIXErrorDomain ? Int32((cause as NSError).code) : nil)
        return code.map { String(cString: strerror($0)) } ?? localizedDescription
    }
}

extension String {
    /// The text without control characters: what a server sends must not move the cursor or retitle the window.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
