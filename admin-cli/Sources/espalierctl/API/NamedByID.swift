/// A kind of resource that commands name by ID, with the list that shows the IDs.
struct NamedByID {
    /// The part of a path in front of an ID.
    let collection: String
    let prefix: String
    /// The command without the program's name.
    let list: String

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
        NamedByID(collection: "transfers", prefix: "transfer", list: "connections transfer list"),
    ]

    /// The next step if a path of the API has something else where an ID belongs; nil if every ID has its prefix.
    static func advice(forPath path: String) -> String? {
        let parts = path.parts(at: "/")
        for (collection, name) in zip(parts, parts.dropFirst()) {
            guard let kind = all.first(where: { collection.isSame(as: $0.collection) }),
                !name.utf8.starts(with: "\(kind.prefix)_".utf8), !["roll", "revoke"].contains(name)
            else { continue }
            return kind.advice
        }
        return nil
    }

    /// The next step for a value that cannot be an ID.
    /// - Parameter command: the words of the command, without the program's name.
    static func advice(forCommand command: [String]) -> String? {
        let group = command.dropLast().joined(separator: " ")
        return all.first { $0.list == "\(group) list" }?.advice
    }

    private var advice: String { "Pass the ID (\(prefix)_…). `espalierctl \(list)` shows it." }
}
