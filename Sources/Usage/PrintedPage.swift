import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// What the pages about money have in common: no script, and nothing that is loaded from elsewhere, so that a file of one shows the same
/// years later.
enum PrintedPage {
    /// - Parameters:
    ///   - hasForm: whether there is a form on it, which leads back to this server.
    ///   - maxAge: for how many seconds anybody may keep it; nil for what is for one reader.
    static func response(
        _ html: String, _ status: HTTPResponse.Status = .ok, hasForm: Bool = false, maxAge: Int? = nil
    ) -> Response {
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: "\(html.utf8.count)",
            .cacheControl: maxAge.map { "public, max-age=\($0)" } ?? "no-store",
            .contentSecurityPolicy: """
            default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; \
            form-action \(hasForm ? "'self'" : "'none'")
            """,
            HTTPField.Name("Referrer-Policy")!: "no-referrer",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// - Parameters:
    ///   - title: what the window is called; may have tags of Mustache, as the body.
    static func template(titled title: String, _ body: String) -> MustacheTemplate {
        // Both are constants: that they parse is seen at the first page.
        try! MustacheTemplate(
            string: """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="robots" content="noindex">
                <title>\(title)</title>
                <style>
                \(style)
                </style>
                \(body)
                </html>

                """)
    }

    private static let style = """
        :root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; }
        body { margin: 0 auto; max-width: 52rem; padding: 2rem; color: #111; background: #fff; }
        h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5rem; margin: 0 0 2rem; }
        dt { color: #555; }
        dd { margin: 0; overflow-wrap: anywhere; }
        table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: .4rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid #ccc; }
        th { font-weight: 600; }
        td.number, th.number { text-align: right; white-space: nowrap; }
        thead { display: table-header-group; }
        tr { break-inside: avoid; }
        tfoot td, tfoot th { border-bottom: 0; border-top: 2px solid #111; font-weight: 600; }
        form { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; margin: 0 0 2rem; }
        label { display: grid; color: #555; }
        input, select, button { font: inherit; padding: .3rem .5rem; }
        .note { border-left: 4px solid #b45309; padding: .5rem 1rem; background: #fef3c7; }
        footer { margin-top: 2rem; color: #555; font-size: .85rem; }
        @media print { body { max-width: none; padding: 0; } form { display: none; } @page { margin: 2cm; } }
        """
}
