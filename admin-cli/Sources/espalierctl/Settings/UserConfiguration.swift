import Foundation

/// A person's profiles, in `espalierctl/config.json` below `XDG_CONFIG_HOME` or `~/.config`. Only this person may read the file, because
/// it may contain API keys.
struct UserConfiguration: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
        case currentProfile = "current_profile"
        case profiles
    }

    /// The name of the profile that is used by default.
    static let defaultProfile = "default"

    var currentProfile: String?
    var profiles: [String: Profile] = [:]

    /// The location of the file. Nil without a home folder.
    static func file(_ environment: [String: String]) -> URL? {
        // The XDG Base Directory Specification requires that a relative path is ignored.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return URL(filePath: folder).appending(path: "espalierctl/config.json")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return URL(filePath: home).appending(path: ".config/espalierctl/config.json")
    }

    /// Reads the file. A missing file means an empty configuration.
    /// - Throws: ``Failure`` if the file is unreadable, or if other users can read it.
    static func load(_ environment: [String: String]) throws(Failure) -> UserConfiguration {
        guard let path = file(environment)?.path(percentEncoded: false), FileManager.default.fileExists(atPath: path)
        else { return UserConfiguration() }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
            throw Failure(
                status: .usage, detail: "Other users can read \(path), which may contain API keys.", nextStep: "chmod 600 '\(path)'")
        }
        return try UserConfiguration(FileManager.default.contents(atPath: path) ?? Data(), path)
    }

    private init() {}

    init(_ data: Data, _ path: String) throws(Failure) {
        guard let configuration = try? JSONDecoder().decode(UserConfiguration.self, from: data) else {
            throw Failure(
                status: .usage, detail: "\(path) is not a configuration of espalierctl.",
                nextStep: "Correct the file, or move it away and start again with espalierctl config set base-url https://….")
        }
        self = configuration
    }

    /// The content of the file, with sorted members.
    var encoded: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }

    /// Replaces the file atomically.
    func save(_ environment: [String: String]) throws(Failure) {
        guard let file = Self.file(environment) else {
            throw Failure(
                status: .usage, detail: "There is no folder for the configuration.", nextStep: "Set HOME or XDG_CONFIG_HOME to a folder.")
        }
        let new = file.path(percentEncoded: false) + ".\(getpid())"
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try SecretFile.create(new)
            try SecretFile.write(String(decoding: try encoded, as: UTF8.self), to: new)
            guard rename(new, file.path(percentEncoded: false)) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch {
            unlink(new)
            throw Failure(
                status: .failure, detail: "\(file.path(percentEncoded: false)) cannot be written.",
                nextStep: "Check that the folder exists and that you may write to it.")
        }
    }
}
