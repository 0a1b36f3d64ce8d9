import Postgres

extension Pooling {
    /// Rejects a database URL that leads to a pooler with which Espalier cannot work.
    /// - Throws: `Settings.Refusal`, `DatabaseError`.
    static func check(_ url: String) async throws {
        switch try await detect(url: url) {
        case .none, .session: return
        case .transaction:
            throw Settings.Refusal(
                description: """
                    The database URL leads to a pooler with transaction pooling, such as PgBouncer with pool_mode=transaction. Espalier \
                    needs prepared statements, settings, LISTEN and locks that last longer than a transaction. Use a URL of PostgreSQL \
                    itself, or set pool_mode=session.
                    """)
        case .sessionWithoutOptions:
            throw Settings.Refusal(
                description: """
                    The database URL leads to a pooler that rejects the start-up parameter `options`. Use a URL of PostgreSQL itself, or \
                    set ignore_startup_parameters=options in PgBouncer.
                    """)
        }
    }
}
