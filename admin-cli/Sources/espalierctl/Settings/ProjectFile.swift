import Foundation

/// A project's settings, in `.espalierctl.json` in the working directory or a folder above it.
///
/// A clone contains this file, so its author may be untrusted. The file may select one of the person's own profiles, and name a tenant. It
/// must not set the address of Espalier, because the person's API key would then go to an address that the author chose.
struct ProjectFile: Equatable {
    static let name = ".espalierctl.json"

    var profile: String?
    var tenant: String?
    /// The path of this file.
    var path: String

    /// Finds the nearest project file in a folder or above it.
    /// - Throws: ``Failure`` if the file is unreadable or contains a forbidden setting.
    static func find(from folder: String) throws(Failure) -> ProjectFile? {
        var folder = URL(filePath: folder).standardizedFileURL
        while true {
            let path = folder.appending(path: name).path(percentEncoded: false)
            if let attributes = try? FileManager.default.attributesOfItem(atPath: path) {
                // Every user may write to /tmp. One of them must not choose the tenant of all others who work below it.
                let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
                if owner == geteuid() || owner == 0 { return try ProjectFile(FileManager.default.contents(atPath: path) ?? Data(), path) }
                Terminal.standardError.report("note: \(path) belongs to another user. espalierctl ignores it.")
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
                status: .usage, detail: "\(path) is not a project file of espalierctl.",
                nextStep: #"Write an object of texts, for example {"profile": "staging", "tenant": "acme"}."#)
        }
        for member in members.keys.sorted() where !["profile", "tenant"].contains(member) {
            throw Failure(
                status: .usage, detail: "\(path) may name a profile and a tenant, but not \(member).",
                nextStep:
                    "A project must not choose where your API key is sent. Set this value in your own profile: espalierctl config set --help."
            )
        }
        (profile, tenant, self.path) = (members["profile"]?.string, members["tenant"]?.string, path)
    }
}
