import Foundation

/// What a project says of itself, in `.espalierctl.json` in the working directory or above.
///
/// It comes with a clone, so strangers write it. It may choose among the profiles the person has made, and name a tenant. It can't say
/// where Espalier is: that would send the person's API key wherever it likes.
struct ProjectFile: Equatable {
    static let name = ".espalierctl.json"

    var profile: String?
    var tenant: String?
    /// Where it stands.
    var path: String

    /// The nearest one, from a folder upwards.
    /// - Throws: ``Failure``, when it is unreadable or says more than it may.
    static func find(from folder: String) throws(Failure) -> ProjectFile? {
        var folder = URL(filePath: folder).standardizedFileURL
        while true {
            let path = folder.appending(path: name).path(percentEncoded: false)
            if let attributes = try? FileManager.default.attributesOfItem(atPath: path) {
                // Whoever may write to /tmp must not choose the tenant of everyone who works below it.
                let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
                if owner == geteuid() || owner == 0 { return try ProjectFile(FileManager.default.contents(atPath: path) ?? Data(), path) }
                Terminal.standardError.report("note: \(path) isn't yours and isn't heeded.")
            }
            let parent = folder.deletingLastPathComponent().standardizedFileURL
            guard parent.path != folder.path, folder.path != "/" else { return nil }
            folder = parent
        }
    }

    init(_ data: Data, _ path: String) throws(Failure) {
        guard case .object(let members)? = try? JSONDecoder().decode(JSON.self, from: data),
            members.values.allSatisfy({ $0.string != nil })
        else {
            throw Failure(
                status: .usage, detail: "\(path) isn't a project file of espalierctl.",
                nextStep: #"Let it be an object of texts, as {"profile": "staging", "tenant": "acme"}."#)
        }
        for member in members.keys.sorted() where !["profile", "tenant"].contains(member) {
            throw Failure(
                status: .usage, detail: "\(path) may name a profile and a tenant, but not \(member).",
                nextStep:
                    "A project must not say where your API key is sent. Put it into a profile of yours: espalierctl config set --help.")
        }
        (profile, tenant, self.path) = (members["profile"]?.string, members["tenant"]?.string, path)
    }
}
