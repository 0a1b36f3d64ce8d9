import Access
import Logging
import Postgres
import Server
import TestSupport
import Testing

@testable import Domains

@Suite("Host table")
struct HostTableTests {
    @Test("a process whose first connection for notifications fails reads the hosts at its start, and again after a change")
    func unconnected() async throws {
        try await OwnHost.run { own in
            let table = HostTable(
                database: PlatformDatabase(own.platform.pool), publicURL: TestPlatform.publicURL,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let acme = try #require(ID<Tenant>(own.platform.acme.id)).uuid
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await table.run() }
                try await eventually("it has read the hosts") { table.addresses(of: acme).hosts == [OwnHost.name] }
                try await own.set("state = 'inactive'")
                try await eventually("it has read the change") { try await table.find(OwnHost.name) == .nobody }
                tasks.cancelAll()
            }
        }
    }
}
