package import Access
package import Postgres

extension PlatformDatabase {
    /// For a test, which may see everything like a command.
    package init(_ pool: DatabasePool) {
        self.init(pool, for: .command)
    }

    /// The same sight for a transaction of a test.
    package static var prelude: [SQL] { prelude(for: .command) }
}
