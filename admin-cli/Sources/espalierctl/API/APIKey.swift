import Foundation

/// The API key that authenticates the caller.
struct APIKey: Equatable {
    let text: String

    /// Reads the key from a file, or from the standard input (`-`).
    /// - Throws: ``Failure``, which never contains the text that was read.
    init(file: String) throws(Failure) {
        try self.init(SecretFile.read(file, of: "API key file"))
    }

    /// Rejects any text that does not look like an API key.
    ///
    /// If a caller passes another file by mistake, for example an Apple key, its content never leaves this machine.
    /// - Throws: ``Failure``, which never contains the text.
    init(_ text: String) throws(Failure) {
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard key.wholeASCIIMatch(of: #/esk_[A-Za-z0-9_]+/#) != nil else {
            throw Failure(
                status: .unauthenticated, detail: "The value is not an API key.",
                nextStep: "Pass the whole key and nothing else. It begins with esk_.")
        }
        self.text = key
    }

    /// A short form that identifies the key: the prefix and the last four characters. The server shows the same characters.
    var hint: String {
        let kind = text.hasPrefix("esk_test_") ? "esk_test_" : text.hasPrefix("esk_live_") ? "esk_live_" : "esk_"
        return text.count < 20 ? "\(kind)…" : "\(kind)…\(text.suffix(4))"
    }
}
