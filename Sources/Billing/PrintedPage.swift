import HTTPTypes
import Hummingbird
import Web

/// The common parts of the pages about money. They have no script and load nothing from other places, so a saved page looks the same years
/// later.
enum PrintedPage {
    /// The response with a page.
    /// - Parameters:
    /// - html: the result of `html` with the same `hasForm`.
    /// - hasForm: whether the page has a form, which leads back to this server.
    /// - maxAge: for how many seconds any cache may store the page. Nil for a page for one reader.
    static func response(
        _ html: String, _ status: HTTPResponse.Status = .ok, hasForm: Bool = false, maxAge: Int? = nil
    ) -> Response {
        .page(html, status, policy: policy(hasForm: hasForm), cacheControl: maxAge.map { "public, max-age=\($0)" } ?? "no-store")
    }

    /// A page that contains its own policy. `espalierctl` saves pages as files, and no header protects a file.
    static func html(_ template: HTMLTemplate, _ content: [String: Any], hasForm: Bool = false) -> String {
        template.render(content.merging(["policy": policy(hasForm: hasForm).meta]) { $1 })
    }

    private static func policy(hasForm: Bool) -> PagePolicy {
        PagePolicy(forms: hasForm ? "'self'" : "'none'")
    }

    /// A template with the common style.
    /// - Parameters:
    /// - title: the title of the window. Like the body, it can contain Mustache tags.
    static func template(titled title: String, _ body: String) -> HTMLTemplate {
        .page(titled: title, style: style, body)
    }

    /// Light on paper. On a screen, light or dark according to the browser's setting. On a phone, each row of a table is a block with
    /// headings beside the values, because five columns of numbers are wider than the screen.
    static let style = """
        :root { color-scheme: light dark; --ink: #111; --soft: #555; --ground: #fff; --rule: #ccc; --mark: #b45309; --marked: #fef3c7; }
        @media screen and (prefers-color-scheme: dark) {
        :root { --ink: #f2f2f2; --soft: #a8a8a8; --ground: #161616; --rule: #444; --mark: #f59e0b; --marked: #3b2a08; }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 52rem; padding: 2rem; color: var(--ink); background: var(--ground); font: 15px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5rem; margin: 0 0 2rem; }
        dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; }
        table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: .4rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
        th { font-weight: 600; }
        td.number, th.number { text-align: right; white-space: nowrap; }
        thead { display: table-header-group; }
        tr { break-inside: avoid; }
        tfoot td, tfoot th { border-bottom: 0; border-top: 2px solid var(--ink); font-weight: 600; }
        form { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; margin: 0 0 2rem; }
        label { display: grid; color: var(--soft); }
        input, select, button { font: inherit; padding: .3rem .5rem; max-width: 100%; }
        .note { border-left: 4px solid var(--mark); padding: .5rem 1rem; background: var(--marked); }
        p, footer { overflow-wrap: anywhere; }
        footer { margin-top: 2rem; color: var(--soft); font-size: .85rem; }
        @media screen and (max-width: 40rem) {
        body { padding: 1rem; }
        dl { gap: 0 1rem; }
        thead { display: none; }
        table, tbody, tfoot { display: block; }
        tr { display: block; border-bottom: 1px solid var(--rule); padding: .5rem 0; }
        td, th { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .1rem 0; }
        td[data-name]::before { content: attr(data-name); color: var(--soft); flex: none; }
        td.number { white-space: normal; overflow-wrap: anywhere; }
        tfoot tr { display: flex; justify-content: space-between; gap: 1rem; border-bottom: 0; border-top: 2px solid var(--ink); }
        tfoot td, tfoot th { border: 0; }
        }
        @media print { body { max-width: none; padding: 0; } form { display: none; } @page { margin: 2cm; } }
        """
}
