import ArgumentParser

// Values that the server knows. An unknown value is rejected before a request is sent.

enum Plan: String, CaseIterable, ExpressibleByArgument {
    case free, scale, enterprise
}

enum TierMode: String, CaseIterable, ExpressibleByArgument {
    case graduated, volume
}

enum TenantStatus: String, CaseIterable, ExpressibleByArgument {
    case active, suspended, deleted, purged
}

enum ApplicationKind: String, CaseIterable, ExpressibleByArgument {
    case web, spa, native, machine

    var hasSecret: Bool { self == .web || self == .machine }
}

/// The authentication of an application that runs on a server.
enum AuthMethod: String, CaseIterable, ExpressibleByArgument {
    case secret = "client_secret_basic"
    case privateKey = "private_key_jwt"
}

enum SigningAlgorithm: String, CaseIterable, ExpressibleByArgument {
    case es256 = "ES256"
    case rs256 = "RS256"
}

/// When users see a tenant's sign-in page.
enum SignInPageUse: String, CaseIterable, ExpressibleByArgument {
    case never
    case onRequest = "on-request"
    case always
    /// The default, or the tenant's choice.
    case none

    var json: JSON { self == .none ? .null : .string(rawValue.replacing("-", with: "_")) }
}

/// The treatment of a first sign-in with the address of another user.
enum AccountLinking: String, CaseIterable, ExpressibleByArgument {
    case ask, off
}

/// The form of a webhook's deliveries.
enum WebhookFormat: String, CaseIterable, ExpressibleByArgument {
    case espalier, workos
}

/// The treatment of a tenant's existing users when its connection changes. Apple then sends another identifier for each user.
enum ExistingUsers: String, CaseIterable, ExpressibleByArgument {
    case newUsers = "new-users"
    case relink

    /// The value in the API.
    var wire: String { rawValue.replacing("-", with: "_") }
}

/// The known scopes of API keys. `--scope` also accepts other scopes, because a newer server may have more.
enum APIKeyScope {
    static let all = [
        "tenants:read", "tenants:write", "applications:read", "applications:write", "connections:read", "connections:write", "users:read",
        "users:write", "sessions:read", "sessions:write", "authenticate:write", "signing_keys:read", "signing_keys:write", "api_keys:read",
        "api_keys:write", "audit:read", "webhooks:read", "webhooks:write", "usage:read", "usage:write", "pricing:read", "pricing:write",
        "statements:read",
        "notifications:read", "notifications:write", "members:read", "members:write",
    ]

    /// Returns the failure with the nearest scope for a misspelled one. The server decides, because it may have more scopes than this list.
    static func advice(for failure: Failure, scopes: [String]) -> Failure {
        let isScope = failure.fields.contains { $0.utf8.starts(with: "--scope".utf8) }
        guard isScope, let unknown = scopes.first(where: { !all.contains($0) }), let nearest = CommandPath.nearest(to: unknown, among: all)
        else { return failure }
        var failure = failure
        failure.nextStep = "Did you mean `\(nearest)`? `espalierctl api-keys issue --help` lists the scopes."
        return failure
    }

    /// A line for each resource, for example `tenants:read, tenants:write`.
    static var list: String {
        var lines: [(resource: Substring, scopes: [String])] = []
        for scope in all {
            let resource = scope.prefix { $0 != ":" }
            if lines.last?.resource == resource { lines[lines.count - 1].scopes.append(scope) } else { lines.append((resource, [scope])) }
        }
        return lines.map { "  \($0.scopes.joined(separator: ", "))" }.joined(separator: "\n")
    }
}

enum SessionStatus: String, CaseIterable, ExpressibleByArgument {
    case active, ended, expired
}

enum UserDeletionStatus: String, CaseIterable, ExpressibleByArgument {
    case pending, finished
}

enum TransferUserState: String, CaseIterable, ExpressibleByArgument {
    case pending, collected, moved, failed
}

enum WebhookStatus: String, CaseIterable, ExpressibleByArgument {
    case enabled, disabled
}

enum DeliveryState: String, CaseIterable, ExpressibleByArgument {
    case pending, succeeded, failed
}

enum NotificationOutcome: String, CaseIterable, ExpressibleByArgument {
    case applied, superseded, unreadable
    case unknownUser = "unknown_user"
    case unknownType = "unknown_type"
}

extension JSON {
    init?(_ choice: (some RawRepresentable<String>)?) {
        self.init(choice?.rawValue)
    }

    init?(_ span: Span?) {
        self.init(span?.seconds)
    }
}
