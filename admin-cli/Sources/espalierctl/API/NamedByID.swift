/// A kind of resource that commands name by ID, and the command that lists the IDs.
struct NamedByID {
    /// The part of a path before an ID.
    let collection: String
    let prefix: String
    /// The command without the program's name.
    let list: String
    /// Whether the list takes `--tenant` or `--platform`.
    var hasOwner = true

    static let all = [
        NamedByID(collection: "applications", prefix: "app", list: "applications list"),
        NamedByID(collection: "users", prefix: "user", list: "users list"),
        NamedByID(collection: "user-deletions", prefix: "deletion", list: "users deletions list"),
        NamedByID(collection: "sessions", prefix: "session", list: "sessions list"),
        NamedByID(collection: "api-keys", prefix: "apikey", list: "api-keys list"),
        NamedByID(collection: "connections", prefix: "connection", list: "connections list"),
        NamedByID(collection: "webhooks", prefix: "webhook", list: "webhooks list"),
        NamedByID(collection: "deliveries", prefix: "delivery", list: "webhooks deliveries list"),
        NamedByID(collection: "notifications", prefix: "notification", list: "notifications list"),
        NamedByID(collection: "rate-cards", prefix: "ratecard", list: "rate-cards list"),
        NamedByID(collection: "members", prefix: "member", list: "members list"),
        NamedByID(collection: "invitations", prefix: "invitation", list: "invitations list"),
        NamedByID(collection: "roles", prefix: "role", list: "roles list"),
        NamedByID(collection: "operators", prefix: "member", list: "operators list", hasOwner: false),
        NamedByID(collection: "people", prefix: "person", list: "people list", hasOwner: false),
        NamedByID(collection: "support-accesses", prefix: "support", list: "support list"),
        NamedByID(collection: "transfers", prefix: "transfer", list: "connections transfer list"),
    ]

    /// The next step for an API path that has another text in the place of an ID. Nil if every ID has its prefix.
    static func advice(forPath path: String) -> String? {
        var parts = path.parts(at: "/")[...]
        var owner = " --platform"
        if parts.count > 1, parts[0].isSame(as: "tenants") {
            owner = " --tenant \(parts[1])"
            // A slug may be the name of a collection.
            parts = parts.dropFirst(2)
        }
        for (collection, name) in zip(parts, parts.dropFirst()) {
            guard let kind = all.first(where: { collection.isSame(as: $0.collection) }),
                !name.utf8.starts(with: "\(kind.prefix)_".utf8), !["roll", "revoke"].contains(name)
            else { continue }
            return kind.advice(owner)
        }
        return nil
    }

    /// The next step for a value that cannot be an ID.
    /// - Parameters:
    ///   - command: the words of the command, without the program's name.
    ///   - arguments: the command line. The suggested command repeats its tenant or platform.
    static func advice(forCommand command: [String], _ arguments: [String]) -> String? {
        let group = command.dropLast().joined(separator: " ")
        return all.first { $0.list == "\(group) list" }?.advice(owner(in: arguments))
    }

    /// The option of a command line that names the tenant or the platform. Empty if the command line has neither.
    private static func owner(in arguments: [String]) -> String {
        if arguments.contains("--platform") { return " --platform" }
        let following = arguments.firstIndex(of: "--tenant").flatMap { arguments.dropFirst($0 + 1).first }
        let joined = arguments.first { $0.utf8.starts(with: "--tenant=".utf8) }.map { String($0.dropFirst("--tenant=".count)) }
        return (following ?? joined).flatMap(Reference.init).map { " --tenant \($0.text)" } ?? ""
    }

    private func advice(_ owner: String) -> String { "Pass the ID (\(prefix)_…). `espalierctl \(list)\(hasOwner ? owner : "")` shows it." }
}
