/// A fault in a body of `POST /simulator/faults`: `endpoint`, `fault` and the required fields of the fault; optionally `client_id`
/// and `times`.
///
/// | fault | needs | at |
/// | --- | --- | --- |
/// | `slow` | `milliseconds` | anywhere |
/// | `status` | `status` 400–599, optionally `retry_after` in seconds | anywhere |
/// | `drop` | | anywhere |
/// | `rotate_keys` | | anywhere |
/// | `malformed_json` | | token, keys |
/// | `claim` | `claim`, `value` (any JSON; absent: the claim is removed) | token, authorize |
/// | `bad_signature`, `unknown_kid` | | token, authorize |
/// | `alg` | `alg`: `none` or `HS256` | token, authorize |
/// | `no_refresh_token` | | token |
/// | `clock` | `seconds` by which the clock is ahead, or behind when negative, up to a day | token |
/// | `user` | `value`, a string | authorize |
/// | `error` | `error` | token, revoke, authorize, usermigrationinfo |
struct FaultRequest {
    let endpoint: Fault.Endpoint
    let clientID: String?
    let times: Int?
    let effect: Fault.Effect

    private enum Kind: String, CaseIterable {
        case slow, status, drop, claim, alg, user, error, clock
        case rotateKeys = "rotate_keys"
        case malformedJSON = "malformed_json"
        case badSignature = "bad_signature"
        case unknownKid = "unknown_kid"
        case noRefreshToken = "no_refresh_token"

        var endpoints: Set<Fault.Endpoint> {
            switch self {
            case .slow, .status, .drop, .rotateKeys: Set(Fault.Endpoint.allCases)
            case .malformedJSON: [.token, .keys]
            case .claim, .badSignature, .unknownKid, .alg: [.token, .authorize]
            case .noRefreshToken, .clock: [.token]
            case .user: [.authorize]
            case .error: [.token, .revoke, .authorize, .userMigration]
            }
        }
    }

    init(_ body: JSONValue) throws(RegistryError) {
        var fields = try JSONFields(body)
        guard let endpoint = try fields.choice("endpoint", Fault.Endpoint.self) else { throw fields.error("endpoint", "is missing") }
        guard let kind = try fields.choice("fault", Kind.self) else { throw fields.error("fault", "is missing") }
        guard kind.endpoints.contains(endpoint) else {
            throw fields.error("fault", "\(kind.rawValue) is not possible at \(endpoint.rawValue)")
        }
        self.endpoint = endpoint
        clientID = try fields.optionalString("client_id")
        guard clientID == nil || endpoint != .keys else { throw fields.error("client_id", "is not possible at keys") }
        times = try fields.optionalInteger("times", in: 1...1_000_000)
        effect = try Self.effect(kind, &fields)
        try fields.end()
    }

    private static func effect(_ kind: Kind, _ fields: inout JSONFields) throws(RegistryError) -> Fault.Effect {
        switch kind {
        case .slow:
            guard let milliseconds = try fields.optionalInteger("milliseconds", in: 1...600_000) else {
                throw fields.error("milliseconds", "is missing")
            }
            return .slow(milliseconds: milliseconds)
        case .status:
            guard let status = try fields.optionalInteger("status", in: 400...599) else { throw fields.error("status", "is missing") }
            return .status(status, retryAfter: try fields.optionalInteger("retry_after", in: 0...3600))
        case .drop: return .drop
        case .rotateKeys: return .rotateKeys
        case .malformedJSON: return .malformedJSON
        case .claim:
            let claim = try fields.string("claim")
            return .claim(claim, fields.value("value"))
        case .badSignature: return .badSignature
        case .unknownKid: return .unknownKeyID
        case .alg:
            guard let algorithm = try fields.choice("alg", Fault.ForgedAlgorithm.self) else { throw fields.error("alg", "is missing") }
            return .algorithm(algorithm)
        case .noRefreshToken: return .noRefreshToken
        case .clock:
            guard let seconds = try fields.optionalInteger("seconds", in: -86_400...86_400) else {
                throw fields.error("seconds", "is missing")
            }
            return .clock(seconds: seconds)
        case .user:
            guard let value = try fields.optionalString("value") else { throw fields.error("value", "is missing") }
            return .user(value)
        case .error: return .error(try fields.string("error"))
        }
    }
}

extension Fault {
    var json: JSONValue {
        [
            "id": .integer(id), "endpoint": .string(endpoint.rawValue), "client_id": clientID.map { .string($0) } ?? .null,
            "remaining": remaining.map { .integer($0) } ?? .null, "met": .integer(met),
        ]
    }
}
