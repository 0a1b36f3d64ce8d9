import ArgumentParser
import Foundation

/// `espalierctl logs tail`: shows the newest logins, and new ones as they happen.
struct TailLogs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Shows the newest completed logins of a tenant, and new ones as they happen.",
        discussion: """
            A login is completed when its application has received the tokens. A login that failed in the browser or at Apple is not in the \
            list. The state is that of the session now: active, ended (for example by a logout), or expired. The command asks the server \
            every 2 s. Ctrl-C ends it. With --json, each login is a line of JSON.

            EXAMPLES
              espalierctl logs tail --tenant acme
              espalierctl logs tail --tenant acme --lines 100 --no-follow --json
            """)

    @Option(help: ArgumentHelp("The number of earlier logins, 0 to 100.", valueName: "count"))
    var lines: Int = 10

    @Flag(help: "Ends after the earlier logins.")
    var noFollow = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    /// The largest number of pages per poll. A tenant with more logins in 2 s has gaps.
    private static let mostPages = 20

    func validate() throws {
        guard (0...100).contains(lines) else { throw ValidationError("--lines takes 0 to 100.") }
    }

    func run() async throws {
        let session = try Session(options)
        let (path, client) = ("\(try session.path(tenant))/logins", try session.client())
        var (seen, hasHeader) = (SeenLogins(), false)
        let first = try await page(path, client, after: nil)
        let earlier = seen.unseen(first.logins).suffix(lines)
        if first.after != nil { seen.oldest = first.logins.last?.id }
        try show(earlier, &hasHeader)
        guard !noFollow else {
            if earlier.isEmpty, !options.json { Terminal.standardError.report("No results.") }
            return
        }
        Terminal.standardError.report("Waiting for logins. Press Ctrl-C to end.")
        while true {
            try await Task.sleep(for: .seconds(2))
            try show(try await unseen(path, client, &seen)[...], &hasHeader)
        }
    }

    /// The new logins, oldest first. It reads older pages until one has a login that is not new.
    private func unseen(_ path: String, _ client: APIClient, _ seen: inout SeenLogins) async throws(Failure) -> [Login] {
        var (found, after, pages) = ([Login](), String?.none, 0)
        repeat {
            let page = try await page(path, client, after: after)
            let fresh = seen.unseen(page.logins)
            found = fresh + found
            pages += 1
            after = fresh.count == page.logins.count ? page.after : nil
        } while after != nil && pages < Self.mostPages
        return found
    }

    struct Login {
        var json: JSON
        var text: String
        var id: String
    }

    private func page(
        _ path: String, _ client: APIClient, after: String?
    ) async throws(Failure) -> (logins: [Login], after: String?) {
        let reply = try await client.send(.get(path, ["limit": "100", "after": after]))
        guard let elements = reply.json["data"]?.elements, let text = JSONText.member("data", of: reply.text) else { throw .shape() }
        let texts = JSONText.parts(of: text)
        guard texts.count == elements.count else { throw .shape() }
        var logins: [Login] = []
        for (json, text) in zip(elements, texts) {
            guard let id = json["id"]?.string else { throw .shape() }
            logins.append(Login(json: json, text: text, id: id))
        }
        return (logins, reply.json["list_metadata.after"]?.string)
    }

    private func show(_ logins: ArraySlice<Login>, _ hasHeader: inout Bool) throws(Failure) {
        guard !logins.isEmpty else { return }
        if options.json {
            for login in logins { try Terminal.standardOutput.write(json: login.text, options.jq) }
        } else if Terminal.standardOutput.width != nil {
            let table = try View.login.fitted(logins.map(\.json.withFixedWidths))
            // The widths do not depend on the logins, so that later lines fit below the header.
            let text = hasHeader ? String(table.text.drop { $0 != "\n" }.dropFirst()) : table.text
            try Terminal.standardOutput.write(text)
            if !hasHeader, let note = table.note { Terminal.standardError.report(note) }
            hasHeader = true
        } else {
            for login in logins {
                let parts = ["occurred_at", "outcome", "user_id", "application_id", "id"].compactMap { login.json[$0]?.text }
                try Terminal.standardOutput.write(parts.joined(separator: "  ").printable)
            }
        }
    }
}

extension View {
    static let login = View(
        .init("ID", "id"),
        .init("Occurred", "occurred_at"),
        .init("State", "outcome"),
        .init("Silent", "is_silent").optional,
        .init("Address", "address").optional,
        .init("User", "user_id"),
        .init("Application", "application_id"),
        expendable: ["ID", "Silent", "Application"])
}

extension JSON {
    /// A login whose texts of different lengths are as wide as the longest common one: `expired`, and an IPv4 address.
    fileprivate var withFixedWidths: JSON {
        guard case .object(var members) = self else { return self }
        for (name, width) in [("outcome", 7), ("address", 15)] {
            let text = members[name]?.string ?? "-"
            members[name] = .string(text + String(repeating: " ", count: max(0, width - text.count)))
        }
        return .object(members)
    }
}

/// The IDs of the newest logins that are known: those of the first page, and those that were shown.
struct SeenLogins {
    /// More than all pages of a poll have.
    private static let most = 4000
    private var ids: Set<String> = []
    private var order: [String] = []

    /// The ID of the last login of the first page, if older ones follow. They are not new, even if deletions move them to a newer page.
    var oldest: String?

    /// The logins of a page (newest first) that were not known before, oldest first.
    mutating func unseen(_ page: [TailLogs.Login]) -> [TailLogs.Login] {
        // The server sorts by ID.
        let fresh = page.filter { login in
            !ids.contains(login.id) && oldest.map { login.id.utf8.lexicographicallyPrecedes($0.utf8) } != true
        }
        for login in fresh.reversed() {
            ids.insert(login.id)
            order.append(login.id)
        }
        if order.count > Self.most {
            for id in order.prefix(order.count - Self.most) { ids.remove(id) }
            order.removeFirst(order.count - Self.most)
        }
        return fresh.reversed()
    }
}
