import Access
@testable import Billing
import Foundation
@testable import Ledger
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Export usage")
struct ExportUsageTests {
    private static let header = "occurred_at,billing_period,id,tenant_id,tenant,application_id,application,user_id,kind,connection"

    /// The rows of the table in the order of a file, read independently of the export.
    private static func expected(_ platform: TestPlatform, tenant: ID<Tenant>? = nil, from: Date, to: Date) async throws -> [[String:
        String]]
    {
        try await platform.ownerPool.run(
            """
            SELECT e.id, tenant_id, application_id, user_id, kind, connection,
                (SELECT slug FROM tenant t WHERE t.id = tenant_id) AS tenant,
                (SELECT name FROM application a WHERE a.id = application_id) AS application,
                to_char(occurred_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, to_char(billing_period, 'YYYY-MM') AS period
            FROM usage_event e WHERE occurred_at >= \(from) AND occurred_at < \(to) AND (\(tenant) IS NULL OR tenant_id = \(tenant))
            ORDER BY billing_period, tenant_id, occurred_at, e.id
            """
        ).map { row in
            func digits(_ name: String) throws -> String {
                String(ID<Tenant>(try row.get(name, as: UUID.self)).description.dropFirst("tenant_".count))
            }
            return [
                "id": "login_\(try digits("id"))", "tenant_id": "tenant_\(try digits("tenant_id"))",
                "application_id": "app_\(try digits("application_id"))", "user_id": "user_\(try digits("user_id"))",
                "kind": try row.get("kind"), "connection": try row.get("connection"), "occurred_at": try row.get("at"),
                "billing_period": try row.get("period"), "tenant": try row.get("tenant"), "application": try row.get("application"),
            ]
        }
    }

    private static func rows(csv: ExportAnswer) -> [[String: String]] {
        let names = csv.lines[0].split(separator: ",").map(String.init)
        return csv.lines.dropFirst().map { line in
            Dictionary(uniqueKeysWithValues: zip(names, line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)))
        }
    }

    @Test("each format has the same events in the same order, exactly those of the window")
    func formats() async throws {
        try await TestPlatform.run { platform in
            let times = [
                "2026-02-28T23:59:59.999999Z", "2026-03-01T00:00:00Z", "2026-03-15T12:00:00.5Z", "2026-03-31T23:59:59.999999Z",
                "2026-04-01T00:00:00Z",
            ].map(time)
            try await platform.append(times)
            try await platform.append(times, of: platform.globex, application: 1, connection: "shared")
            let expected = try await Self.expected(platform, from: time("2026-03-01T00:00:00Z"), to: time("2026-04-01T00:00:00Z"))
            #expect(expected.count == 6)
            #expect(expected.map { $0["occurred_at"]! }.contains("2026-03-31T23:59:59.999999Z"))

            let csv = try await platform.export("format=csv&\(TestPlatform.march)")
            #expect(csv.status == 200)
            #expect(csv.headers.first(name: "Content-Type") == "text/csv; charset=utf-8; header=present")
            #expect(
                csv.headers.first(name: "Content-Disposition") == "attachment; filename=\"usage-2026-03-01-2026-04-01.csv\"")
            #expect(csv.lines[0] == Self.header)
            #expect(Self.rows(csv: csv) == expected)

            let jsonl = try await platform.export("format=jsonl&\(TestPlatform.march)")
            #expect(jsonl.headers.first(name: "Content-Type") == "application/jsonl")
            #expect(try jsonl.lines.map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) } == expected)

            struct CloudEvent: Decodable {
                let specversion, type, source, id, time, subject, datacontenttype: String
                let data: [String: String]
            }
            let events = try await platform.export("format=cloudevents&\(TestPlatform.march)").lines
                .map { try JSONDecoder().decode(CloudEvent.self, from: Data($0.utf8)) }
            #expect(events.allSatisfy { $0.specversion == "1.0" && $0.type == "espalier.login.succeeded" })
            #expect(events.allSatisfy { $0.datacontenttype == "application/json" && $0.source == "/tenants/\($0.subject)" })
            #expect(
                events.map { event in
                    event.data.merging(["id": event.id, "tenant_id": event.subject, "occurred_at": event.time]) { $1 }
                } == expected.map { row in row.filter { !["tenant", "application"].contains($0.key) } })
        }
    }

    @Test("names stay texts in a spreadsheet and in JSON, and are omitted for a deleted application")
    func names() async throws {
        try await TestPlatform.run { platform in
            try await platform.append([time("2026-03-05T00:00:00Z")])
            let application = ID<Application>(platform.acme.applications[0].client_id)!
            let name = #"=HYPERLINK("https://evil.test","Click, \ ü")"#
            _ = try await platform.ownerPool.run("UPDATE application SET name = \(name) WHERE id = \(application)")
            let csv = try await platform.export("format=csv&\(TestPlatform.march)")
            let table = try #require(FocusRules.table(csv.text))
            #expect(table.map { $0[6] } == ["application", "'" + name])
            let jsonl = try await platform.export("format=jsonl&\(TestPlatform.march)")
            #expect(try JSONDecoder().decode([String: String].self, from: Data(jsonl.body))["application"] == name)
            // The longest possible name, with the characters that need the most bytes.
            let long = String(repeating: "\"", count: 100) + String(repeating: "𝕏", count: 100)
            _ = try await platform.ownerPool.run("UPDATE application SET name = \(long) WHERE id = \(application)")
            try await platform.append((0..<300).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0)) })
            let longer = try await platform.export("format=csv&\(TestPlatform.march)")
            #expect(try #require(FocusRules.table(longer.text)).dropFirst().allSatisfy { $0[6] == long })
            _ = try await platform.ownerPool.run([
                "DELETE FROM application_secret WHERE application_id = \(application)", "DELETE FROM application WHERE id = \(application)",
            ])
            let gone = try await platform.export("format=csv&\(TestPlatform.march)")
            #expect(try #require(FocusRules.table(gone.text)).dropFirst().allSatisfy { $0[6] == nil && $0[4] == "acme" })
            let none = try await platform.export("format=jsonl&\(TestPlatform.march)")
            #expect(none.lines.count == 301 && none.lines.allSatisfy { $0.contains(#""application":null"#) })
        }
    }

    @Test("size and digest are in the trailers for clients that accept them, and in the manifest")
    func digests() async throws {
        try await TestPlatform.run { platform in
            try await platform.append((0..<500).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0)) })
            for query in ["format=csv", "format=jsonl", "format=cloudevents", "format=focus", "format=csv&compression=gzip"] {
                let query = "\(query)&\(TestPlatform.march)"
                let export = try await platform.export(query)
                let manifest = try await platform.manifest(query)
                #expect(manifest.status == 200)
                #expect(export.trailers?.first(name: "Export-SHA256") == export.sha256, "\(query)")
                #expect(manifest.json["sha256"] as? String == export.sha256, "\(query)")
                #expect(manifest.json["bytes"] as? Int == export.body.count)
                let rows = query.contains("focus") ? export.lines.count - 1 : 500
                #expect(export.trailers?.first(name: "Export-Rows") == "\(rows)")
                #expect(manifest.json["rows"] as? Int == rows)
                #expect(export.headers.first(name: "Export-Watermark") != nil)
                #expect(export.headers.first(name: "Export-To") == "2026-04-01T00:00:00Z")
                #expect(manifest.json["to"] as? String == "2026-04-01T00:00:00Z")
            }
            // A client that does not ask for trailers may fail because of them.
            let without = try await platform.export("format=csv&\(TestPlatform.march)", headers: [])
            #expect(without.headers.first(name: "Trailer") == nil)
            #expect(without.trailers?.isEmpty ?? true)
        }
    }

    @Test("a download continues after any byte, compressed or not, and both parts form the file")
    func resumed() async throws {
        try await TestPlatform.run { platform in
            try await platform.append((0..<3000).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0) / 7) })
            for form in ["format=csv", "format=jsonl", "format=csv&compression=gzip", "format=focus"] {
                let query = "\(form)&\(TestPlatform.march)"
                let whole = try await platform.export(query)
                for skip in [0, 1, whole.body.count / 3, whole.body.count - 1, whole.body.count] {
                    let rest = try await platform.export("\(query)&skip=\(skip)")
                    #expect(rest.status == 200)
                    #expect(rest.body == Array(whole.body.dropFirst(skip)), "\(form) after \(skip)")
                    #expect(rest.trailers?.first(name: "Export-SHA256") == whole.sha256)
                }
                // A client cannot have more bytes than the file.
                let beyond = try await platform.export("\(query)&skip=\(whole.body.count + 1)")
                #expect(beyond.status == 400)
                #expect(beyond.text.contains("skip") && beyond.text.contains("\(whole.body.count) bytes"), "\(beyond.text)")
            }
            let packed = try await platform.export("format=csv&compression=gzip&\(TestPlatform.march)")
            #expect(packed.headers.first(name: "Content-Type") == "application/gzip")
            #expect(packed.headers.first(name: "Content-Disposition")?.hasSuffix(".csv.gz\"") == true)
            #expect(gunzip(packed.body) == (try await platform.export("format=csv&\(TestPlatform.march)")).body)
        }
    }

    @Test("pages of any size give the same file: over months, tenants and events of the same moment")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let moments = (0..<40).map { time("2026-02-26T00:00:00Z").addingTimeInterval(Double($0 / 3) * 43_200) }
            for tenant in [platform.acme, platform.globex] { try await platform.append(moments, of: tenant) }
            let (from, to) = (time("2026-02-27T00:00:00Z"), time("2026-03-10T00:00:00Z"))
            for tenant in [nil, ID<Tenant>(platform.acme.id)] {
                let source: LedgerPages.Source =
                    tenant.map { .tenant(OwnerDatabase(platform.pool, tenant: $0)) } ?? .platform(PlatformDatabase(platform.pool))
                let expected = try await Self.expected(platform, tenant: tenant, from: from, to: to).map { $0["id"]! }
                #expect(expected.count > 25)
                for size in [1, 2, 3, 7, 1000] {
                    var ledger = try await LedgerPages(source, from: from, to: to, at: to)
                    ledger.pageSize = size
                    var (reported, text, position): ([String], LedgerText, LedgerPages.Position) = ([], LedgerText(.csv), ledger.start)
                    while let page = try await ledger.page(after: position) {
                        #expect(page.rows <= size)
                        var (offset, rows) = (0, 0)
                        while case let block = try text.block(of: page.bytes, from: &offset, rows: &rows), !block.isEmpty {
                            reported += String(decoding: block, as: UTF8.self).split(separator: "\n").map {
                                String($0.split(separator: ",")[2])
                            }
                        }
                        position = page.next
                    }
                    #expect(reported == expected, "pages of \(size)")
                }
            }
        }
    }

    @Test("an event billed in a later month is in the window of its login")
    func billedLater() async throws {
        try await TestPlatform.run { platform in
            let tenant = ID<Tenant>(platform.acme.id)!
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO statement (tenant_id, period, id, state, tenant_slug, tenant_name, claimed_until, closing_at)
                VALUES (\(tenant), '2026-03-01', gen_random_uuid(), 'closing', 'acme', 'Acme', now(), now())
                """)
            try await platform.append([time("2026-03-31T23:59:59.999999Z")])
            let csv = try await platform.export("format=csv&\(TestPlatform.march)")
            #expect(Self.rows(csv: csv).map { $0["billing_period"] } == ["2026-04"])
            let april = try await platform.export("format=csv&from=2026-04-01T00:00:00Z&to=2026-05-01T00:00:00Z")
            #expect(april.lines == [Self.header])
        }
    }

    @Test("events that can still arrive are in the next export, which starts at the end of this one")
    func watermark() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            try await platform.append([now.addingTimeInterval(-3600), now.addingTimeInterval(-1), now])
            let from = Day.moment(Date(timeIntervalSince1970: (now.timeIntervalSince1970 - 7200).rounded(.down)))
            let export = try await platform.export("format=csv&from=\(from)")
            #expect(export.lines.count == 2)
            let to = try #require(export.headers.first(name: "Export-To"))
            #expect(to == export.headers.first(name: "Export-Watermark"))
            #expect(abs(time(to).timeIntervalSince(now) + RollUp.delay) < 30)
            #expect(export.headers.first(name: "Export-From") == from)
            // A window that has just started has no complete part yet.
            let empty = try await platform.export("format=csv&from=\(Day.moment(now))")
            #expect(empty.lines == [Self.header])
            #expect(empty.trailers?.first(name: "Export-Rows") == "0")
            // It can be checked and continued like any other file.
            let end = try #require(empty.headers.first(name: "Export-To"))
            #expect(end == empty.headers.first(name: "Export-From"))
            let manifest = try await platform.manifest("format=csv&from=\(end)&to=\(end)")
            #expect(manifest.status == 200, "\(manifest.text)")
            #expect(manifest.json["sha256"] as? String == empty.sha256)
            let again = try await platform.export("format=csv&from=\(end)&to=\(end)")
            #expect(again.lines == [Self.header])
        }
    }

    @Test("a tenant's key exports only that tenant, an operator's key any tenant or all")
    func whose() async throws {
        try await TestPlatform.run { platform in
            try await platform.append([time("2026-03-05T00:00:00Z")])
            try await platform.append([time("2026-03-05T00:00:00Z"), time("2026-03-06T00:00:00Z")], of: platform.globex)
            func count(_ query: String, key: String? = nil) async throws -> Int {
                try await platform.export("format=csv&\(TestPlatform.march)\(query)", key: key).lines.count - 1
            }
            let (acme, globex) = (platform.acme.api_keys[0].secret, platform.globex.api_keys[0].secret)
            #expect(try await count("") == 3)
            #expect(try await count("&tenant=acme") == 1)
            #expect(try await count("&tenant=\(platform.globex.id)") == 2)
            #expect(try await count("", key: acme) == 1)
            #expect(try await count("", key: globex) == 2)
            #expect(try await count("&tenant=globex", key: globex) == 2)
            #expect(try await count("&tenant=\(platform.globex.id)", key: globex) == 2)
            for path in ["", "/manifest"] {
                var reported: [NSDictionary] = []
                for name in ["acme", platform.acme.id, "nobody", "tenant_00000000000000000000000000"] {
                    let answer = try await platform.export("format=csv&tenant=\(name)", key: globex, path: path)
                    #expect(answer.status == 404)
                    reported.append(answer.json.filter { !["request_id", "instance"].contains($0.key) } as NSDictionary)
                }
                #expect(Set(reported).count == 1)
                let unknown = try await platform.export("format=csv&tenant=nobody", path: path)
                #expect(unknown.status == 404)
                let lacking = try await platform.export("format=csv", key: platform.acme.api_keys[1].secret, path: path)
                #expect(lacking.status == 403)
                #expect(lacking.json["code"] as? String == "insufficient_scope")
                let nobody = try await platform.export("format=csv", key: "x", path: path)
                #expect(nobody.status == 401)
            }
            let manifest = try await platform.manifest("format=csv&\(TestPlatform.march)", key: globex)
            #expect(manifest.json["tenant_id"] as? String == platform.globex.id)
            #expect(manifest.json["rows"] as? Int == 2)
        }
    }

    @Test("invalid parameters are refused with their names")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            for (query, field) in [
                ("from=2026-03-01T00:00:00Z", "format"), ("format=xls", "format"), ("format=csv&compression=zip", "compression"),
                ("format=csv&from=yesterday", "from"), ("format=csv&skip=-1", "skip"), ("format=csv&skip=1.5", "skip"),
                ("format=csv&from=2026-04-01T00:00:00Z&to=2026-03-01T00:00:00Z", "to"), ("format=csv&from=1999-12-31T23:59:59Z", "from"),
                ("format=csv&from=2026-04-01T00:00:00Z&to=4026-03-01T00:00:00Z", "to"),
                ("format=focus&from=2026-03-02T00:00:00Z", "from"), ("format=focus&to=2027-03-31T00:00:00Z", "to"),
                ("format=csv&all=1", "all"),
            ] {
                let answer = try await platform.export(query)
                #expect(answer.status == 400, "\(query)")
                #expect((answer.json["errors"] as? [[String: String]])?.map { $0["field"] } == [field], "\(query): \(answer.text)")
            }
            let skipping = try await platform.manifest("format=csv&skip=1")
            #expect(skipping.status == 400)
        }
    }

    @Test("a client that stops reading is disconnected, and a slow one is not")
    func stalled() async throws {
        await #expect(throws: CancellationError.self) {
            try await StallWatch.run(limit: .milliseconds(20)) { watch in
                try await watch.send { try await Task.sleep(for: .seconds(600)) }
            }
        }
        let task = Task {
            try await StallWatch.run(limit: .milliseconds(20)) { watch in
                for _ in 1...10 { try await watch.send { await Task.yield() } }
                // Other work may take longer.
                try await Task.sleep(for: .milliseconds(100))
            }
            return Task.isCancelled
        }
        #expect(try await !task.value)
    }
}

@Suite("CSV")
struct CSVTests {
    private func line(_ texts: String...) -> String { String(decoding: CSV.line(texts.map { .text($0) }), as: UTF8.self) }

    @Test("a text that a spreadsheet would calculate becomes a plain text")
    func formulas() {
        for formula in [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "=HYPERLINK(\"http://x\",\"y\")", "=1;=1",
            "\u{FEFF}=1", "\"=1+1\"", "\"\"@SUM(A1)", " \" -1", "\u{00A0}+1", "\u{0000}=1", "\t1", "\r1",
        ] {
            let written = line(formula)
            #expect(written.hasPrefix("'") || written.hasPrefix("\"'"), "\(written)")
        }
        // For a spreadsheet that splits cells at these characters, a quote within a line has no meaning. The text after them is a cell.
        for end in [";", "\t", "\n", "\r", "\r\n", ";;"] {
            for formula in ["=1", "\u{200B}=1", "\"=1\"", "-cmd|' /C calc'!A0;b"] {
                let quoted = formula.replacing("\"", with: "\"\"")
                #expect(line("a\(end)\(formula)", "b") == "\"a\(end)'\(quoted)\",b\n")
            }
        }
        #expect(line("Acme", "a-b", "1=1", "a; b") == "Acme,a-b,1=1,\"a; b\"\n")
        #expect(String(decoding: CSV.line([.number("-5"), .null, .text("")]), as: UTF8.self) == "-5,,\"\"\n")
    }

    @Test("commas, quotes and line breaks stay inside their field, even with a combining accent")
    func quoting() {
        let accented = "a\"\u{0301},b\n\u{0301}"
        #expect(FocusRules.table(line(accented, "b")) == [[accented, "b"]])
        #expect(line("a,b", "say \"hi\"", "two\nlines", "\r\n") == "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"'\r\n\"\n")
    }
}
