import Foundation

/// The secret that says who asks.
struct APIKey: Equatable {
    let text: String

    /// Takes the key from a file, or from the standard input (`-`).
    /// - Throws: ``Failure``, which never repeats what was read.
    init(file: String) throws(Failure) {
        try self.init(SecretFile.read(file, of: "API key file"))
    }

    /// Anything that doesn't look like a key is refused, so that a file named by mistake, an Apple key say, never leaves this machine.
    /// - Throws: ``Failure``, which never repeats the text.
    init(_ text: String) throws(Failure) {
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard key.wholeASCIIMatch(of: #/esk_[A-Za-z0-9_]+/#) != nil else {
            throw Failure(
                status: .unauthenticated, detail: "What was given as the API key isn't one.",
                nextStep: "Pass the whole key and nothing else; it begins with esk_.")
        }
        self.text = key
    }

    /// As much of it as tells which one it is: the kind, and the last four characters, which the server shows, too.
    var hint: String {
        let kind = text.hasPrefix("esk_test_") ? "esk_test_" : text.hasPrefix("esk_live_") ? "esk_live_" : "esk_"
        return text.count < 20 ? "\(kind)…" : "\(kind)…\(text.suffix(4))"
    }
}
