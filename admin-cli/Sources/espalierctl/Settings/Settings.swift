import Foundation

/// Where Espalier is, who asks, and which tenant is meant: from flags, before the environment, before the project, before the person's
/// profile.
///
/// A profile that a flag names is as good as flags. A key that is kept in a profile is only ever sent to that profile's address.
struct Settings {
    struct Flags {
        var profile: String?
        var baseURL: String?
        var apiKeyFile: String?
    }

    enum Origin {
        case flag, environment, project, user
    }

    let profileName: String
    let profileOrigin: Origin
    private let profile: Profile
    private let flags: Flags
    private let environment: [String: String]
    private let project: ProjectFile?

    /// - Throws: ``Failure``, when a file can't be used, or a profile was named that isn't there.
    init(_ flags: Flags, environment: [String: String], folder: String) throws(Failure) {
        (self.flags, self.environment) = (flags, environment.filter { !$0.value.isEmpty })
        project = try ProjectFile.find(from: folder)
        let configuration = try UserConfiguration.load(environment)
        (profileName, profileOrigin) =
            if let name = flags.profile {
                (name, .flag)
            } else if let name = self.environment["ESPALIER_PROFILE"] {
                (name, .environment)
            } else if let name = project?.profile {
                (name, .project)
            } else {
                (configuration.currentProfile ?? UserConfiguration.defaultProfile, .user)
            }
        guard let profile = configuration.profiles[profileName] ?? (profileOrigin == .user ? Profile() : nil) else {
            throw Failure(
                status: .usage,
                detail: "There is no profile \(profileName)" + (profileOrigin == .project ? ", which \(ProjectFile.name) names." : "."),
                nextStep:
                    "espalierctl config list shows yours; espalierctl config set base-url https://… --profile \(profileName) makes it.")
        }
        self.profile = profile
    }

    /// The address, over TLS unless it is this machine: an API key must not cross a network in the clear.
    func baseURL() throws(Failure) -> URL {
        guard let text = baseURLAndOrigin?.text, !text.isEmpty else {
            throw Failure(
                status: .usage, detail: "It isn't said where Espalier is.",
                nextStep: "Set ESPALIER_BASE_URL, or pass --base-url https://id.example.com, or espalierctl config set base-url.")
        }
        return try Self.checkedBaseURL(text)
    }

    static func checkedBaseURL(_ text: String) throws(Failure) -> URL {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), let host = url.host(), !host.isEmpty,
            url.user == nil, url.query == nil, url.fragment == nil, url.port.map({ (1...65535).contains($0) }) ?? true,
            scheme == "https" || (scheme == "http" && ["localhost", "127.0.0.1"].contains(host))
        else {
            throw Failure(
                status: .usage, detail: "The base URL isn't one to send an API key to.",
                nextStep: "Use https://, or http:// with localhost, and no user, query or fragment.")
        }
        return url
    }

    func apiKey() throws(Failure) -> APIKey {
        if let file = flags.apiKeyFile { return try free(APIKey(file: file)) }
        if profileOrigin == .flag, let key = try profileKey() { return key }
        if let text = environment["ESPALIER_API_KEY"] { return try free(APIKey(text)) }
        if let key = try profileKey() { return key }
        throw Failure(
            status: .unauthenticated, detail: "An API key is required.",
            nextStep: "Set ESPALIER_API_KEY, or pass --api-key-file FILE (- for the standard input), or espalierctl config set api-key.")
    }

    /// A key that belongs to no profile: it may go where the person says, and not where a project says.
    private func free(_ key: APIKey) throws(Failure) -> APIKey {
        guard profileOrigin == .project, baseURLAndOrigin?.isProfile == true else { return key }
        throw Failure(
            status: .usage,
            detail: "The API key that was given isn't sent to an address that \(ProjectFile.name) chose (profile \(profileName)).",
            nextStep: "Choose it yourself with --profile \(profileName) or ESPALIER_BASE_URL, or leave the key to the profile.")
    }

    /// The tenant that is meant where a command names none.
    func tenant() throws(Failure) -> String? {
        let candidates =
            profileOrigin == .flag
            ? [profile.tenant, environment["ESPALIER_TENANT"], project?.tenant]
            : [environment["ESPALIER_TENANT"], project?.tenant, profile.tenant]
        guard let text = candidates.lazy.compactMap(\.self).first else { return nil }
        guard let tenant = Reference(argument: text) else {
            throw Failure(
                status: .usage, detail: "The tenant in ESPALIER_TENANT, \(ProjectFile.name) or the profile is no slug or id.",
                nextStep: "espalierctl config get tenant shows it.")
        }
        return tenant.text
    }

    private var baseURLAndOrigin: (text: String, isProfile: Bool)? {
        let fromProfile = profile.baseURL.map { ($0, true) }
        if let text = flags.baseURL { return (text, false) }
        if profileOrigin == .flag, let fromProfile { return fromProfile }
        if let text = environment["ESPALIER_BASE_URL"] { return (text, false) }
        return fromProfile
    }

    private func profileKey() throws(Failure) -> APIKey? {
        guard profile.apiKey != nil || profile.apiKeyFile != nil else { return nil }
        guard let address = profile.baseURL, try baseURL() == Self.checkedBaseURL(address) else {
            throw Failure(
                status: .usage,
                detail: "The API key of profile \(profileName) belongs to \(profile.baseURL ?? "no address yet"), and goes nowhere else.",
                nextStep: "Pass the key for the other address by ESPALIER_API_KEY or --api-key-file, or make it a profile of its own.")
        }
        if let text = profile.apiKey { return try APIKey(text) }
        return try profile.apiKeyFile.map { file throws(Failure) in try APIKey(file: file) }
    }
}
