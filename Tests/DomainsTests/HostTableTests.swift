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

    @Test("a change reads the lost hosts of its tenant, even those that the process has never known, and no others")
    func lost() async throws {
        try await OwnHost.unclaimed { own in
            let acme = try #require(ID<Tenant>(own.platform.acme.id)).uuid
            let table = HostTable(
                database: PlatformDatabase(own.platform.pool), publicURL: TestPlatform.publicURL,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await table.read(everything: true)
            // Between two reads, the host is proved and deleted.
            let id = try await own.activate(OwnHost.name)
            #expect(try await own.platform.call("DELETE", "/tenants/acme/domains/\(id)").status == 204)
            _ = try await own.platform.ownerPool.run(
                "INSERT INTO lost_host (host, lost_by, lost_at) SELECT 'lost.globex.test', id, now() FROM tenant WHERE slug = 'globex'")
            table.forget(acme)
            try await table.read()
            #expect(try await table.find(OwnHost.name) == .nobody)
            #expect(try await table.find("lost.globex.test") == .publicURL)
            try await table.read(everything: true)
            #expect(try await table.find("lost.globex.test") == .nobody)
            #expect(try await table.find(OwnHost.name) == .nobody)
        }
    }
}
