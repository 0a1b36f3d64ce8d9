import Foundation
import Postgres
import Web

extension APIKey {
    /// The limit of valid keys per tenant, including rolled keys in their overlap.
    private static let most = 100

    /// Checks that the owner can have another key. Operators have no limit.
    /// - Throws: `Problem` 409.
    static func requireRoom(for owner: UUID, at now: Date, in db: Transaction) async throws {
        guard owner != .platform else { return }
        let (_, valid) = try await db.run(
            // Requests run one after another, so that two of them cannot both take the last place.
            "SELECT pg_advisory_xact_lock(1634756985, hashtext(\(owner)::text))",
            """
            SELECT count(*) AS n FROM api_key
            WHERE tenant_id = \(owner) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > \(now))
            """)
        guard try valid[0].get("n", as: Int.self) < most else {
            throw Problem(
                .conflict,
                "A tenant can have at most \(most) valid API keys, including rolled keys in their overlap. Revoke an unused key.")
        }
    }
}
