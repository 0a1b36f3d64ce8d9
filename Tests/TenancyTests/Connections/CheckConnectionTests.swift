import Access
import Apple
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Check connection")
struct CheckConnectionTests {
    private func fault(_ platform: TestPlatform, _ fields: [String: any Sendable]) async throws {
        let own: [String: any Sendable] = ["endpoint": "token", "client_id": platform.own.servicesID]
        try await platform.simulator.fault(own.merging(fields) { $1 })
    }

    private func clearFaults(_ platform: TestPlatform) async throws {
        try await platform.simulator.send(.DELETE, "/simulator/faults?client_id=\(platform.own.servicesID)", [:])
    }

    @Test("right credentials pass every step, and the result is stored without a new version of the connection")
    func passed() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let before = try await platform.call("GET", connection)
            #expect(before.json["check"] == nil)
            let answer = try await platform.check(connection)
            #expect(answer.status == 200)
            #expect(answer.json["object"] as? String == "connection_check")
            #expect(answer.checkOutcome == "passed", "\(answer.stepDetails)")
            #expect(Set(answer.stepOutcomes.values) == ["passed"])
            let after = try await platform.call("GET", connection)
            #expect(after.stepOutcomes == answer.stepOutcomes)
            #expect(after.appleKeys[0]["proven_at"] != nil)
            #expect(after.version == before.version)
            #expect(try await platform.auditTrail(of: "checkConnection").map(\.actor) == [platform.seeded.api_keys[0].id])
        }
    }

    @Test("a second check at once must wait, and one of many concurrent checks asks Apple")
    func throttled() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let began = ContinuousClock.now
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { tasks in
                for _ in 0..<8 { tasks.addTask { try await platform.call("POST", "\(connection)/check") } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            // On a machine of any speed, there is one check in 3 s.
            let most = 1 + Int(began.duration(to: .now) / .seconds(3))
            let asked = answers.filter { $0.status == 200 }.count
            #expect((1...most).contains(asked))
            for answer in answers where answer.status != 200 {
                #expect(answer.status == 429)
                #expect(answer.problem == "rate_limited")
                #expect(answer.header("Retry-After") == "3")
            }
            #expect(try await platform.auditTrail(of: "checkConnection").count == asked)
            #expect(try await platform.call("POST", "\(connection)/check", key: platform.globex.api_keys[0].secret).status == 404)
            #expect(try await platform.call("POST", "\(connection)/check", ["x": 1]).status == 400)
        }
    }

    @Test("a missing or invalid response from Apple does not count against the credentials")
    func unreachable() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            try await platform.subscribeAcme()
            let troubles: [[String: any Sendable]] = [
                ["fault": "status", "status": 500], ["fault": "status", "status": 429], ["fault": "drop"],
                ["fault": "status", "status": 400],
            ]
            for trouble in troubles {
                try await fault(platform, trouble)
                let answer = try await platform.check(connection)
                #expect(answer.status == 200)
                #expect(answer.checkOutcome == "unreachable", "\(trouble)")
                #expect(answer.stepOutcomes["token_endpoint"] == "unreachable")
                #expect(answer.stepOutcomes["signature"] == "passed")
                #expect(answer.stepOutcomes["clock"] == "skipped")
                try await clearFaults(platform)
            }
            #expect(try await platform.call("GET", connection).checkOutcome == "unreachable")
            #expect(try await platform.reportedFailures == [])
            #expect(try await platform.check(connection).checkOutcome == "passed")
        }
    }

    @Test("the check does not wait for a slow Apple")
    func slow() async throws {
        try await TestPlatform.run({ $0.apple.timeout = .seconds(2) }) { platform in
            try await fault(platform, ["fault": "slow", "milliseconds": 60_000, "times": 1])
            let answer = try await platform.check(try await platform.acmeConnection)
            #expect(answer.checkOutcome == "unreachable")
            #expect(answer.stepDetails["token_endpoint"]?.contains("did not answer in time") == true)
        }
    }

    @Test("a wrong clock is reported with seconds and direction, and as the cause of Apple's refusal")
    func clock() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            try await fault(platform, ["fault": "clock", "seconds": -600])
            let ahead = try await platform.check(connection)
            #expect(ahead.checkOutcome == "failed")
            #expect(ahead.stepOutcomes["clock"] == "failed" && ahead.stepOutcomes["token_endpoint"] == "failed")
            #expect(ahead.stepDetails["clock"]?.contains(/clock is (59\d|60\d) s ahead of Apple's/) == true, "\(ahead.stepDetails)")
            #expect(ahead.stepDetails["token_endpoint"]?.contains("this server's clock") == true)
            try await clearFaults(platform)

            try await fault(platform, ["fault": "clock", "seconds": 200])
            let behind = try await platform.check(connection)
            #expect(behind.checkOutcome == "failed")
            #expect(behind.stepOutcomes["token_endpoint"] == "passed")
            #expect(behind.stepDetails["clock"]?.contains(/clock is (19\d|20\d) s behind Apple's/) == true, "\(behind.stepDetails)")
            try await clearFaults(platform)
        }
    }

    @Test("a key revoked at Apple is found, the owner is notified once, and the change is in the audit trail")
    func revoked() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            try await platform.subscribeAcme()
            #expect(try await platform.check(connection).checkOutcome == "passed")
            try await platform.simulator.revokeKey(platform.own.keyID)
            for _ in 0..<2 {
                let answer = try await platform.check(connection)
                #expect(answer.checkOutcome == "failed")
                #expect(
                    answer.stepDetails["token_endpoint"]?.contains("\(platform.own.keyID) is not the Key ID of this key's file") == true)
            }
            let events = try await platform.reportedFailures
            #expect(events.count == 1)
            #expect(events.first?.contains("check_failed") == true)
            #expect(try await platform.auditTrail(of: "checkConnection").count == 3)
        }
    }

    @Test("each other refusal of Apple is passed on with its meaning")
    func otherRefusals() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            for (error, word) in [("unauthorized_client", "not configured"), ("invalid_request", "incomplete"), ("<new>", "other")] {
                try await fault(platform, ["fault": "error", "error": error])
                let answer = try await platform.check(connection)
                #expect(answer.checkOutcome == "failed")
                #expect(answer.stepDetails["token_endpoint"]?.contains(word) == true, "\(answer.stepDetails)")
                #expect(!answer.body.contains("<new>"))
                try await clearFaults(platform)
            }
        }
    }

    @Test("a key that this server cannot open and a Services ID of a wrong form are found without Apple")
    func withoutApple() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            try await fault(platform, ["fault": "error", "error": "invalid_request"])
            _ = try await platform.ownerPool.run(
                """
                UPDATE apple_key SET sealed_pem = (SELECT sealed_pem FROM apple_key WHERE key_id = \(platform.shared.keyID))
                WHERE key_id = \(platform.own.keyID)
                """)
            let sealed = try await platform.check(connection)
            #expect(sealed.checkOutcome == "failed")
            #expect(sealed.stepDetails["private_key"]?.contains("master key") == true)
            #expect(sealed.stepOutcomes["token_endpoint"] == "skipped")
            _ = try await platform.ownerPool.run("UPDATE connection SET services_id = 'ABCDE12345' WHERE team_id = \(platform.own.team)")
            #expect(try await platform.check(connection).stepDetails["services_id"]?.contains("form of a Team ID") == true)
            _ = try await platform.ownerPool.run("DELETE FROM apple_key WHERE key_id = \(platform.own.keyID)")
            #expect(try await platform.check(connection).stepDetails["private_key"]?.contains("no key in use") == true)
            try await clearFaults(platform)
        }
    }
}
