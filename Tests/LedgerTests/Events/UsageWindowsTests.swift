import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// `getUsage` by minute, hour, day and month, and by groups.
@Suite("Usage by windows")
struct UsageWindowsTests {
    /// One user with three logins and another with one, in a leap year's February and in its last microsecond.
    private static func append(_ platform: TestPlatform) async throws {
        let (one, two) = (UUID(), UUID())
        try await platform.append(
            [try moment("2028-02-28T09:00:30Z"), try moment("2028-02-29T23:59:59.999999Z")], users: [one])
        try await platform.append([try moment("2028-02-29T23:59:00Z")], application: 1, users: [one], connection: "shared")
        try await platform.append([try moment("2028-02-29T23:10:00Z"), try moment("2028-03-01T00:00:00Z")], users: [two])
    }

    @Test("minutes, hours, days and months have the same logins, aggregated or not", arguments: [false, true])
    func grains(isAggregated: Bool) async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            if isAggregated { try await platform.rollUp() }
            func users(_ number: Int) -> Int { isAggregated ? number : 0 }
            #expect(
                try await platform.windows("window=month&from=2028-01-01T00:00:00Z&to=2028-04-01T00:00:00Z") == [
                    "2028-02-01T00:00:00Z 4/\(users(2))", "2028-03-01T00:00:00Z 1/\(users(1))",
                ])
            #expect(
                try await platform.windows("window=day&from=2028-02-01T00:00:00Z&to=2028-03-01T00:00:00Z") == [
                    "2028-02-28T00:00:00Z 1/\(users(1))", "2028-02-29T00:00:00Z 3/\(users(2))",
                ])
            // These are counted from the events themselves.
            #expect(
                try await platform.windows("window=hour&from=2028-02-28T00:00:00Z&to=2028-03-01T01:00:00Z") == [
                    "2028-02-28T09:00:00Z 1/1", "2028-02-29T23:00:00Z 3/2", "2028-03-01T00:00:00Z 1/1",
                ])
            #expect(
                try await platform.windows("window=minute&from=2028-02-29T23:00:00Z&to=2028-03-01T00:00:00Z") == [
                    "2028-02-29T23:10:00Z 1/1", "2028-02-29T23:59:00Z 2/1",
                ])
        }
    }

    @Test("usage is grouped by application, connection and kind, and filtered by each")
    func groups() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            let february = "window=month&from=2028-02-01T00:00:00Z&to=2028-03-01T00:00:00Z"
            #expect(
                try await platform.windows("\(february)&group_by=connection") == [
                    "2028-02-01T00:00:00Z own 3/2", "2028-02-01T00:00:00Z shared 1/1",
                ])
            #expect(
                Set(try await platform.windows("\(february)&group_by=application,kind")) == [
                    "2028-02-01T00:00:00Z login 3/2", "2028-02-01T00:00:00Z login 1/1",
                ])
            let second = platform.acme.applications[1].client_id
            #expect(
                try await platform.windows("\(february)&application_id=\(second)&group_by=application,connection") == [
                    "2028-02-01T00:00:00Z shared 1/1"
                ])
            #expect(try await platform.windows("\(february)&application_id=\(second)&connection=own&kind=login") == [])
            let day = "window=hour&from=2028-02-29T00:00:00Z&to=2028-03-01T00:00:00Z"
            #expect(try await platform.windows("\(day)&connection=shared&group_by=kind") == ["2028-02-29T23:00:00Z login 1/1"])
            let answer = try await platform.usage("\(february)&group_by=application")
            let found = try #require(answer.json["windows"] as? [[String: any Sendable]])
            #expect(Set(found.compactMap { $0["application_id"] as? String }) == Set(platform.acme.applications.prefix(2).map(\.client_id)))
            #expect(found.allSatisfy { $0["to"] as? String == "2028-03-01T00:00:00Z" && $0["connection"] == nil })
            #expect(answer.json["logins"] as? Int == 4)
        }
    }

    @Test("the response contains the end of the complete numbers, which is before any waiting event")
    func watermark() async throws {
        try await TestPlatform.run { platform in
            func complete() async throws -> Date {
                try moment(try #require(try await platform.call("GET", "/tenants/acme/usage").json["complete_until"] as? String))
            }
            let before = Date()
            #expect(try await complete() <= Date(timeIntervalSinceNow: -119))
            #expect(try await complete() >= before.addingTimeInterval(-122))
            try await platform.append([try moment("2026-03-01T00:00:00Z")])
            #expect(try await complete() == moment("2026-03-01T00:00:00Z"))
            // Another tenant's waiting events have no effect.
            try await platform.append([try moment("2026-02-01T00:00:00Z")], of: platform.globex)
            #expect(try await complete() == moment("2026-03-01T00:00:00Z"))
            try await platform.rollUp()
            #expect(try await complete() >= before.addingTimeInterval(-122))
        }
    }

    @Test("a window that cuts a unit or is too long is refused with its name")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for (query, field) in [
                ("window=week", "window"), ("window=day&from=2026-03-01T00:00:01Z&to=2026-03-02T00:00:00Z", "from"),
                ("window=month&from=2026-03-01T00:00:00Z&to=2026-03-31T00:00:00Z", "to"),
                ("window=hour&from=2026-03-01T00:00:00Z&to=2026-03-09T00:00:00Z", "to"),
                ("window=minute&from=2026-03-01T00:00:00Z&to=2026-03-02T00:01:00Z", "to"),
                ("window=day&group_by=user", "group_by"), ("window=day&group_by=kind,kind", "group_by"),
                ("window=day&group_by=kind,", "group_by"), ("group_by=kind", "group_by"), ("connection=own", "connection"),
                ("window=day&application_id=acme", "application_id"), ("window=day&connection=none", "connection"),
                ("window=day&kind=refresh", "kind"),
            ] {
                let answer = try await platform.usage(query)
                #expect(answer.status == 400, "\(query)")
                #expect((answer.json["errors"] as? [[String: String]])?.map { $0["field"] } == [field], "\(query)")
            }
            for query in [
                "window=minute", "window=hour", "window=day", "window=month",
                "window=hour&from=\(Date().formatted(.iso8601).prefix(14))00:00Z",
            ] {
                #expect(try await platform.usage(query).status == 200, "\(query)")
            }
        }
    }

    @Test("without the events in the ledger, days and months are available and hours are not")
    func archived() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            _ = try await platform.ownerPool.run("DELETE FROM usage_event")
            #expect(
                try await platform.windows("window=day&from=2028-02-01T00:00:00Z&to=2028-03-01T00:00:00Z") == [
                    "2028-02-28T00:00:00Z 1/1", "2028-02-29T00:00:00Z 3/2",
                ])
            let hours = try await platform.usage("window=hour&from=2028-02-28T00:00:00Z&to=2028-03-01T00:00:00Z")
            #expect(hours.status == 400)
            #expect((hours.json["errors"] as? [[String: String]])?.first?["detail"]?.contains("2028-02-28") == true)
            let part = try await platform.usage("from=2028-02-28T12:00:00Z&to=2028-02-29T12:00:00Z")
            #expect(part.json["logins"] as? Int == 3)
        }
    }
}
