import Access
import Encoding
import Hummingbird
import Tenancy
import Web

extension MushuRoutes {
    /// Changes the Services ID and the bundle IDs of the tenant's connection. Other members must have their current values. A key, a team
    /// and the use of a connection change in several steps, which Mushu's request cannot express.
    @Sendable
    func mushuUpdateProvider(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let application = try await providerApplication(call)
        var fields = try await JSONFields(request)
        let changes = ConnectionChanges(&fields, prefix: "apple_")
        let (enabled, team, key) = (fields.flag("enabled"), fields.text("apple_team_id"), fields.text("apple_key_id"))
        if fields.value("apple_private_key") != nil {
            fields.refuse("apple_private_key", "It cannot change here. Rotate the key: espalierctl apple-keys rotate.")
        }
        try fields.finishKnown()
        let changed = try await connections.updateOwnConnection(changes, call) { own in
            var refused: [Problem.Field] = []
            if enabled ?? own.isServing != own.isServing {
                refused.append(.init("enabled", "It cannot change here. Use espalierctl connections activate."))
            }
            if team?.isSame(as: own.teamID) == false {
                refused.append(.init("apple_team_id", "It cannot change. Another team needs another connection."))
            }
            if let key, own.keyID?.isSame(as: key) != true {
                refused.append(.init("apple_key_id", "It cannot change here. Rotate the key: espalierctl apple-keys rotate."))
            }
            guard refused.isEmpty else { throw Problem.invalid(refused) }
        }
        return try .json(ProviderReply(changed, of: application))
    }
}
