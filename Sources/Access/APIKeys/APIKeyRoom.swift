import Foundation
import Postgres
import Web

extension APIKey {
    /// Valid keys of one tenant at a time, those in their overlap included.
    private static let most = 100

    /// Makes sure that the owner may have another key. Operators have no limit.
    /// - Throws: `Problem` 409.
    static func requireRoom(for owner: UUID, at now: Date, in db: Transaction) async throws {
        guard owner != .platform else { return }
        let count: Int = try await db.run([
            // One after the other, so that two requests do not both get the last place.
            "SELECT pg_advisory_xact_lock(1634756985, hashtext(\(owner)::text))",
            """
            SELECT count(*) AS n FROM api_key
            WHERE tenant_id = \(owner) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > \(now))
            """,
        ])[1][0].get("n")
        guard count < most else {
            throw Problem(
                .conflict,
                "A tenant has at most \(most) valid API keys, rolled keys in their overlap included. Revoke one that is not used.")
        }
    }
}
