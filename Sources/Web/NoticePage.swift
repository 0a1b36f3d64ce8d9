package import HTTPTypes
package import Hummingbird

/// A page that informs a person. It has no script, form or link, and no page can frame it.
package struct NoticePage: Sendable {
    let title: String
    let detail: String
    /// The next step, and the person who can take it.
    let remedy: String
    /// The subjects of the notice, shown as text.
    let facts: [(name: String, value: String)]

    package init(title: String, detail: String, remedy: String, facts: [(name: String, value: String)] = []) {
        (self.title, self.detail, self.remedy, self.facts) = (title, detail, remedy, facts)
    }

    package func response(_ status: HTTPResponse.Status, requestID: String) -> Response {
        let html = Self.template.render(
            [
                "title": title, "detail": detail, "remedy": remedy, "request": requestID, "policy": Self.policy.meta,
                "hasFacts": !facts.isEmpty, "facts": facts.map { ["name": $0.name, "value": $0.value] },
            ] as [String: Any])
        return .page(html, status, policy: Self.policy)
    }

    private static let policy = PagePolicy()

    private static let template = HTMLTemplate.page(
        titled: "{{title}}", style: style,
        """
        <main>
        <h1>{{title}}</h1>
        <p>{{detail}}</p>
        {{#hasFacts}}
        <dl>
        {{#facts}}
        <dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd>
        {{/facts}}
        </dl>
        {{/hasFacts}}
        <p>{{remedy}}</p>
        <p><small>Request {{request}}</small></p>
        </main>
        """)

    private static let style = """
        :root { color-scheme: light dark; --ink: #111; --soft: #555; --ground: #fff; font: 17px/1.5 system-ui, sans-serif; }
        @media (prefers-color-scheme: dark) { :root { --ink: #f2f2f2; --soft: #a8a8a8; --ground: #161616; } }
        body { margin: 0; min-height: 100vh; display: grid; place-content: center; color: var(--ink); background: var(--ground); }
        main { max-width: 27rem; padding: 2rem; box-sizing: border-box; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.2; }
        dt, small { color: var(--soft); }
        dd { margin: 0 0 .5rem; }
        """
}
