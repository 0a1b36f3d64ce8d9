import Foundation

/// The secret that says who asks.
struct APIKey: Equatable {
    let text: String

    /// Takes the key from a file, from the standard input (`-`), or else from `ESPALIER_API_KEY`.
    ///
    /// Anything that doesn't look like a key is refused, so that a file named by mistake, an Apple key say, never leaves this machine.
    /// - Throws: ``Failure``, which never repeats what was read.
    init(file: String?, environment: [String: String]) throws(Failure) {
        let read: String?
        if let file {
            read = try Self.contents(of: file)
        } else {
            read = environment["ESPALIER_API_KEY"].flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let read else {
            throw Failure(
                status: .unauthenticated, detail: "An API key is required.",
                nextStep: "Set ESPALIER_API_KEY, or pass --api-key-file FILE (- for the standard input).")
        }
        let key = read.trimmingCharacters(in: .whitespacesAndNewlines)
        guard key.wholeMatch(of: #/esk_[A-Za-z0-9_]+/#) != nil else {
            throw Failure(
                status: .unauthenticated, detail: "What was given as the API key isn't one.",
                nextStep: "Pass the whole key and nothing else; it begins with esk_.")
        }
        text = key
    }

    private static func contents(of file: String) throws(Failure) -> String {
        let data: Data?
        do {
            data =
                file == "-"
                ? try FileHandle.standardInput.readToEnd()
                : try Data(contentsOf: URL(filePath: file))
        } catch {
            throw Failure(
                status: .usage, detail: "The API key file \(file) can't be read.",
                nextStep: "Check that it exists and that you may read it.")
        }
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
