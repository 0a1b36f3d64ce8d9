import Foundation

/// The address, the API key and the tenant of a command. Flags override the environment, the project file and the person's profile, in
/// this order.
///
/// A profile that a flag names has the priority of flags. A profile's key is sent only to the profile's address.
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

    /// Reads the settings of all sources.
    /// - Throws: ``Failure`` if a file is unusable, or if a named profile does not exist.
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
                detail: "The profile \(profileName)" + (profileOrigin == .project ? ", which \(ProjectFile.name) names," : "")
                    + " does not exist.",
                nextStep:
                    "List your profiles: espalierctl config list. Create this one: espalierctl config set base-url https://… --profile \(profileName)"
            )
        }
        self.profile = profile
    }

    /// The address of Espalier. It uses TLS, except on this machine, because an API key must not cross a network unencrypted.
    func baseURL() throws(Failure) -> URL {
        guard let text = baseURLAndOrigin?.text, !text.isEmpty else {
            throw Failure(
                status: .usage, detail: "The base URL is missing.",
                nextStep: "Set ESPALIER_BASE_URL, pass --base-url https://id.example.com, or run espalierctl config set base-url.")
        }
        return try Self.checkedBaseURL(text)
    }

    static func checkedBaseURL(_ text: String) throws(Failure) -> URL {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), let host = url.host(), !host.isEmpty,
            url.user == nil, url.query == nil, url.fragment == nil, url.port.map({ (1...65535).contains($0) }) ?? true,
            scheme == "https" || (scheme == "http" && ["localhost", "127.0.0.1"].contains(host))
        else {
            throw Failure(
                status: .usage, detail: "The base URL is invalid or not safe for an API key.",
                nextStep: "Use https://, or http:// with localhost or 127.0.0.1. Leave out user, query and fragment.")
        }
        return url
    }

    /// An API key of the flags, the environment or the profile, or else the login at the address.
    ///
    /// A login is sent only to the server that issued it, so a project file cannot lead it elsewhere.
    func credential() throws(Failure) -> Credential {
        if let file = flags.apiKeyFile { return .key(try checkDestination(of: APIKey(file: file))) }
        if profileOrigin == .flag, let key = try profileKey() { return .key(key) }
        if let text = environment["ESPALIER_API_KEY"] { return .key(try checkDestination(of: APIKey(text))) }
        if let key = try profileKey() { return .key(key) }
        if let token = try Logins(environment: environment).token(for: baseURL()) { return .login(token) }
        throw Failure(
            status: .unauthenticated, detail: "A login or an API key is required.",
            nextStep:
                "Log in: espalierctl login. For an API key, set ESPALIER_API_KEY, or pass --api-key-file FILE (- for the standard input).")
    }

    /// The source of an API key that takes precedence over a login. Nil if there is none.
    var keySource: String? {
        if environment["ESPALIER_API_KEY"] != nil { return "ESPALIER_API_KEY" }
        return profile.apiKey != nil || profile.apiKeyFile != nil ? "the profile \(profileName)" : nil
    }

    /// Returns a key without a profile if the person chose the address, and throws if a project file chose it.
    private func checkDestination(of key: APIKey) throws(Failure) -> APIKey {
        guard profileOrigin == .project, baseURLAndOrigin?.isProfile == true else { return key }
        throw Failure(
            status: .usage,
            detail: "\(ProjectFile.name) chose the address (profile \(profileName)). Your API key is not sent there.",
            nextStep: "Choose the address with --profile \(profileName) or ESPALIER_BASE_URL, or use the API key of the profile.")
    }

    /// The tenant of a command that names none.
    func tenant() throws(Failure) -> String? {
        let candidates =
            profileOrigin == .flag
            ? [profile.tenant, environment["ESPALIER_TENANT"], project?.tenant]
            : [environment["ESPALIER_TENANT"], project?.tenant, profile.tenant]
        guard let text = candidates.lazy.compactMap(\.self).first else { return nil }
        guard let tenant = Reference(argument: text) else {
            throw Failure(
                status: .usage, detail: "The tenant in ESPALIER_TENANT, \(ProjectFile.name) or the profile is not a slug or an ID.",
                nextStep: "Show the value: espalierctl config get tenant")
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
                detail:
                    "The API key of profile \(profileName) is sent only to the profile's address (\(profile.baseURL ?? "not set yet")).",
                nextStep: "Pass the key for the other address with ESPALIER_API_KEY or --api-key-file, or create another profile for it.")
        }
        if let text = profile.apiKey { return try APIKey(text) }
        return try profile.apiKeyFile.map { file throws(Failure) in try APIKey(file: file) }
    }
}
