import AppleSimulator
import Logging
import ServiceLifecycle
import Testing

@Suite("Serving")
struct ServingTests {
    @Test("it is a service that ends at a graceful shutdown")
    func gracefulShutdown() async throws {
        let logger = Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() }
        let simulator = AppleSimulator(logger: logger)
        let services = ServiceGroup(services: [simulator], logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await services.run() }
            let url = try await simulator.url
            #expect(try await Website.send("GET", "\(url)/auth/keys").status == 200)
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            await #expect(throws: (any Error).self) { try await Website.send("GET", "\(url)/auth/keys") }
        }
    }

    @Test("a port in use is an error for its runner and for callers that wait for the port")
    func takenPort() async throws {
        let logger = Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withSimulator { website in
            let port = try #require(Int(website.url.split(separator: ":").last ?? ""))
            let second = AppleSimulator(AppleSimulator.Configuration(port: port), logger: logger)
            await #expect(throws: (any Error).self) { try await second.run() }
            await #expect(throws: AppleSimulator.NotListening.self) { try await second.port }
        }
    }
}
