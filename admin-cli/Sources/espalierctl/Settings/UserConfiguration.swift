import Foundation

/// A person's profiles, in `espalierctl/config.json` below `XDG_CONFIG_HOME` or `~/.config`. It may hold keys: nobody else may read it.
struct UserConfiguration: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
        case currentProfile = "current_profile"
        case profiles
    }

    /// The profile's name where no other is named.
    static let defaultProfile = "default"

    var currentProfile: String?
    var profiles: [String: Profile] = [:]

    /// Where it is kept; nil for somebody without a home.
    static func file(_ environment: [String: String]) -> URL? {
        // The XDG Base Directory Specification: a relative path is to be ignored.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return URL(filePath: folder).appending(path: "espalierctl/config.json")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return URL(filePath: home).appending(path: ".config/espalierctl/config.json")
    }

    /// Reads it; there need not be one.
    /// - Throws: ``Failure``, when it can't be read, or when others can.
    static func load(_ environment: [String: String]) throws(Failure) -> UserConfiguration {
        guard let path = file(environment)?.path(percentEncoded: false), FileManager.default.fileExists(atPath: path)
        else { return UserConfiguration() }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
            throw Failure(
                status: .usage, detail: "\(path) can be read by others, and it may hold API keys.", nextStep: "chmod 600 '\(path)'")
        }
        return try UserConfiguration(FileManager.default.contents(atPath: path) ?? Data(), path)
    }

    private init() {}

    init(_ data: Data, _ path: String) throws(Failure) {
        guard let configuration = try? JSONDecoder().decode(UserConfiguration.self, from: data) else {
            throw Failure(
                status: .usage, detail: "\(path) isn't a configuration of espalierctl.",
                nextStep: "Correct it, or move it away and begin with espalierctl config set base-url https://….")
        }
        self = configuration
    }

    /// As it is written, with its members in the order of the alphabet.
    var encoded: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }

    /// Replaces the file, whole or not at all.
    func save(_ environment: [String: String]) throws(Failure) {
        guard let file = Self.file(environment) else {
            throw Failure(
                status: .usage, detail: "There is no place for a configuration.", nextStep: "Set HOME, or XDG_CONFIG_HOME to a folder.")
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
                status: .failure, detail: "\(file.path(percentEncoded: false)) can't be written.",
                nextStep: "Check that the folder exists and that you may write to it.")
        }
    }
}
