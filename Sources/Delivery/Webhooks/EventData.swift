import Encoding
import Postgres

/// The data of a webhook event, with its members in the order of the spec.
///
/// PostgreSQL stores `jsonb` in its own order. This type restores the original order of the event.
struct EventData: Encodable {
    /// The members of all events in one order. The order fits each event and the objects inside it.
    static let members = [
        "webhook_id", "connection_id", "support_access_id", "api_key_id", "session_ids", "user_id", "identity_id", "team_id",
        "application_id", "status", "reason", "apple_key_id", "revoked", "erase_after", "expires_at", "ends_at", "statement_id",
        "tenant_id", "period", "percent", "logins", "budget_logins", "currency", "amount_micros", "amount", "budget_amount_micros",
        "budget_amount", "logins_refused", "events", "totals", "is_example",
    ]

    private static let ranks = Dictionary(uniqueKeysWithValues: zip(members, 0...))

    private let value: JSONValue

    /// - Throws: `JSONValue.Malformed`. PostgreSQL rules this out for stored data.
    init(_ json: JSON) throws {
        value = try JSONValue(json: json.bytes)
    }

    private init(_ value: JSONValue) {
        self.value = value
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(EventData(element)) }
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, member) in members.sorted(by: { Self.rank($0.key) < Self.rank($1.key) }) {
                try container.encode(EventData(member), forKey: Name(stringValue: name))
            }
        case .null, .bool, .integer, .number, .string:
            try value.encode(to: encoder)
        }
    }

    /// Unknown members come last, by name.
    private static func rank(_ name: String) -> (Int, String) {
        (ranks[name] ?? members.count, name)
    }
}
