import Foundation
import HTTPTypes
package import Hummingbird
import Web

/// The pages that show caught mails: `/mail` and `/mail/{number}`, on the port of the demo application.
package struct MailPages: Sendable {
    private let catcher: MailCatcher

    package init(_ catcher: MailCatcher) {
        self.catcher = catcher
    }

    package func add(to router: Router<BasicRequestContext>) {
        router.get("mail", use: listMails)
        router.get("mail/{number}", use: showMail)
    }

    @Sendable
    private func listMails(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        struct Line {
            let number: Int
            let subject, recipients, time: String
        }
        struct Content {
            let policy: String
            let mails: [Line]
            let isEmpty: Bool
        }
        try Self.requireLoopback(request)
        let lines = catcher.mails.map { mail in
            Line(
                number: mail.number, subject: mail.subject.isEmpty ? "(no subject)" : mail.subject,
                recipients: mail.recipients.joined(separator: ", "), time: mail.at.formatted(.iso8601))
        }
        return .page(Self.list.render(Content(policy: Self.policy.meta, mails: lines, isEmpty: lines.isEmpty)), policy: Self.policy)
    }

    @Sendable
    private func showMail(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        struct Content {
            let policy, subject, from, recipients, time, source: String
            let parts: [LinkedText.Part]
        }
        try Self.requireLoopback(request)
        guard let number = context.parameters.get("number").flatMap({ Int($0) }),
            let mail = catcher.mails.first(where: { $0.number == number })
        else { throw HTTPError(.notFound) }
        let content = Content(
            policy: Self.policy.meta, subject: mail.subject.isEmpty ? "(no subject)" : mail.subject, from: mail.from,
            recipients: mail.recipients.joined(separator: ", "), time: mail.at.formatted(.iso8601), source: mail.source,
            parts: LinkedText.parts(of: mail.text))
        return .page(Self.mail.render(content), policy: Self.policy)
    }

    /// Refuses the name of another host: a page in a browser could make its own name lead to this machine, and read the mails.
    private static func requireLoopback(_ request: Request) throws {
        let authority = Array((request.head.authority ?? "").utf8)
        let isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains { host in
            authority.starts(with: host.utf8) && (authority.count == host.utf8.count || authority[host.utf8.count] == UInt8(ascii: ":"))
        }
        guard isLoopback else { throw HTTPError(.notFound) }
    }

    private static let policy = PagePolicy(images: nil)

    private static let style = """
        :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
        body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
        table { border-collapse: collapse; width: 100% } td, th { padding: .4rem .8rem .4rem 0; text-align: start; vertical-align: top }
        h1, td { overflow-wrap: anywhere }
        pre { overflow-wrap: anywhere; white-space: pre-wrap } .text { border: 1px solid; border-radius: .4rem; padding: 1rem }
        """

    private static let list = HTMLTemplate.page(
        titled: "Mail · Espalier development", style: style,
        """
        <body>
        <main>
        <h1>Mail</h1>
        <p>The development server delivers no mail. It keeps the newest \(MailCatcher.capacity) mails here until it stops.</p>
        {{#isEmpty}}<p>There is no mail yet. To send one: <code>espalierctl mail test ada@example.com</code></p>{{/isEmpty}}
        {{^isEmpty}}<table>
        <tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">Time</th></tr>
        {{#mails}}<tr><td><a href="/mail/{{number}}">{{subject}}</a></td><td>{{recipients}}</td><td>{{time}}</td></tr>
        {{/mails}}</table>{{/isEmpty}}
        </main>
        </body>
        """)

    private static let mail = HTMLTemplate.page(
        titled: "{{subject}} · Mail · Espalier development", style: style,
        """
        <body>
        <main>
        <p><a href="/mail">All mails</a></p>
        <h1>{{subject}}</h1>
        <table>
        <tr><th scope="row">From</th><td>{{from}}</td></tr>
        <tr><th scope="row">To</th><td>{{recipients}}</td></tr>
        <tr><th scope="row">Time</th><td>{{time}}</td></tr>
        </table>
        <pre class="text">{{#parts}}{{#url}}<a href="{{url}}" rel="noreferrer">{{text}}</a>{{/url}}{{^url}}{{text}}{{/url}}{{/parts}}</pre>
        <details><summary>Source, with the HTML</summary><pre>{{source}}</pre></details>
        </main>
        </body>
        """)
}

/// Text in which addresses of web pages are links: https, and http on this machine.
enum LinkedText {
    struct Part {
        let text: String
        /// Nil for a part that is not a link.
        let url: String?
    }

    static func parts(of text: String) -> [Part] {
        let bytes = Array(text.utf8)
        var (parts, start, position): ([Part], Int, Int) = ([], 0, 0)
        func add(_ range: Range<Int>, isLink: Bool) {
            guard !range.isEmpty else { return }
            let text = String(decoding: bytes[range], as: UTF8.self)
            parts.append(Part(text: text, url: isLink ? text : nil))
        }
        while position < bytes.count {
            guard isLinkStart(bytes[position...]) else {
                position += 1
                continue
            }
            let length = bytes[position...].prefix { $0 > 0x20 && $0 < 0x7F && !"<>\"'`\\".utf8.contains($0) }.count
            var end = position + length
            while ".,;:!?)".utf8.contains(bytes[end - 1]) { end -= 1 }
            add(start..<position, isLink: false)
            add(position..<end, isLink: true)
            (start, position) = (end, end)
        }
        add(start..<bytes.count, isLink: false)
        return parts
    }

    private static func isLinkStart(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.starts(with: "https://".utf8) { return true }
        return ["http://localhost", "http://127.0.0.1", "http://[::1]"].contains { prefix in
            guard bytes.starts(with: prefix.utf8) else { return false }
            let rest = bytes.dropFirst(prefix.utf8.count)
            guard let next = rest.first else { return true }
            // In front of an @, it is the name of a user at another host.
            let authority = rest.prefix { $0 > 0x20 && !"/?#".utf8.contains($0) }
            return !authority.contains(UInt8(ascii: "@")) && (next == UInt8(ascii: ":") || next == UInt8(ascii: "/") || next <= 0x20)
        }
    }
}
