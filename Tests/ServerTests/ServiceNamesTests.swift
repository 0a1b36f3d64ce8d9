import TestSupport
import Testing

/// The library of the services logs the start and the end of each one.
@Suite("Service names")
struct ServiceNamesTests {
    @Test("the log names services by their types, without the values that they hold")
    func names() async throws {
        let log = RecordedLog()
        try await TestPlatform.run(log: log) { _ in }
        let names = log.text.split(separator: "\n").compactMap { $0.wholeMatch(of: /Starting service sl-service=(.*)/)?.output.1 }
        #expect(names.contains("OutboxWorker"))
        #expect(names.allSatisfy { !$0.contains("(") }, "\(names.map { $0.prefix(100) })")
    }
}
