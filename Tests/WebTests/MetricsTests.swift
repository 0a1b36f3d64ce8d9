import Testing

@testable import Web

@Suite("Metrics")
struct MetricsTests {
    @Test("each metric has HELP and TYPE once, before its samples, and each line has the exposition format")
    func exposition() throws {
        let metrics = Metrics()
        metrics.observe(action: "getTenant", status: 200, took: .milliseconds(2))
        metrics.observe(action: "none", status: 404, took: .milliseconds(2))
        metrics.count(.token, "ok")
        metrics.count(notification: "consent-revoked", "received")
        metrics.count(mail: "sent")
        var (described, typed): (Set<String>, Set<String>) = ([], [])
        for line in metrics.text.split(separator: "\n") {
            if let help = line.wholeMatch(of: /# HELP ([a-z_]+) .+\./) {
                #expect(described.insert(String(help.1)).inserted, "\(line)")
            } else if let type = line.wholeMatch(of: /# TYPE ([a-z_]+) (?:counter|gauge|histogram)/) {
                #expect(described.contains(String(type.1)) && typed.insert(String(type.1)).inserted, "\(line)")
            } else {
                let sample = try #require(line.wholeMatch(of: /([a-z_]+)(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [0-9.e+-]+/), "\(line)")
                let name = String(sample.1)
                let family = String(name.replacing(/_(?:bucket|sum|count)$/, with: ""))
                #expect(typed.contains(name) || typed.contains(family), "\(line)")
            }
        }
        #expect(described == typed && typed.count == 7)
    }
}
