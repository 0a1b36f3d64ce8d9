import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

private struct Reply: Encodable {
    struct Day: Encodable {
        let date: String
        let logins: Int
    }

    let object = "usage"
    let tenant_id: ID<Tenant>
    let from, to: Date
    let logins: Int
    let days: [Day]
}

extension UsageRoutes {
    /// Counts the events themselves: what is answered here is what is billed.
    @Sendable
    func getUsage(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageRead)
        let window = try Window(request.uri.query ?? "", at: now())
        let days = try await call.database(pool)
            .run(UsageEvent.loginsByDay(tenant: call.tenant, from: window.from, to: window.to))
            .map { row in Reply.Day(date: try row.get("day"), logins: try row.get("logins")) }
        return try .json(
            Reply(tenant_id: call.tenant, from: window.from, to: window.to, logins: days.reduce(0) { $0 + $1.logins }, days: days))
    }
}

/// The time asked for: `[from, to)`, at most 366 days, the current UTC month when nothing is said.
struct Window: Equatable {
    let from, to: Date

    init(_ query: String, at now: Date) throws(Problem) {
        let form: Form
        do { form = try Form(query) } catch {
            throw Problem(.invalid, "The query could not be read: a parameter is malformed or repeated.")
        }
        if let unknown = form.names.first(where: { $0 != "from" && $0 != "to" }) {
            throw .invalid(.init(unknown, "There is no such parameter; `from` and `to` are."))
        }
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = .gmt
        let month = utc.dateInterval(of: .month, for: now)!
        from = try Self.date("from", form) ?? month.start
        to = try Self.date("to", form) ?? (form["from"] == nil ? month.end : max(now, from.addingTimeInterval(1)))
        guard from < to else { throw .invalid(.init("to", "It must be later than `from`.")) }
        guard to.timeIntervalSince(from) <= 366 * 86400 else { throw .invalid(.init("to", "At most 366 days can be asked for at once.")) }
    }

    private static func date(_ name: String, _ form: Form) throws(Problem) -> Date? {
        guard let text = form[name] else { return nil }
        // A `+` in a query is a space: an offset that was not encoded arrives as one.
        if let date = Self.rfc3339(text.replacing(" ", with: "+")) { return date }
        throw .invalid(.init(name, "Write a time as RFC 3339, for example 2026-11-01T00:00:00Z."))
    }

    /// RFC 3339, section 5.6, whole: Foundation's parser stops where it is content and lets February have 30 days.
    private static func rfc3339(_ text: String) -> Date? {
        let form = /(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)/
        guard let parts = text.wholeMatch(of: form)?.output else { return nil }
        let day = Date.ISO8601FormatStyle().year().month().day()
        guard let midnight = try? day.parse(String(parts.1)), day.format(midnight) == parts.1,
            let time = try? Date.ISO8601FormatStyle().parse("\(parts.1)T\(parts.2)\(parts.4.uppercased())")
        else { return nil }
        return time.addingTimeInterval(parts.3.flatMap { Double("0\($0)") } ?? 0)
    }
}
