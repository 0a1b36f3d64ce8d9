import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// A page that tells a person something and leads nowhere: no script, no form, no link, and no frame of another's around it.
struct NoticePage: Sendable {
    let title: String
    let detail: String
    /// What can be done now, and by whom.
    let remedy: String

    func response(_ status: HTTPResponse.Status, requestID: String) -> Response {
        let html = Self.template.render(["title": title, "detail": detail, "remedy": remedy, "request": requestID])
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: "\(html.utf8.count)", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
            .referrerPolicy: "no-referrer",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    // The template is a constant: that it parses is seen at the first page.
    private static let template = try! MustacheTemplate(
        string: """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>{{title}}</title>
            <style>
            :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
            body { margin: 0; min-height: 100vh; display: grid; place-content: center; }
            main { max-width: 27rem; padding: 2rem; }
            h1 { font-size: 1.5rem; line-height: 1.2; }
            small { opacity: .6; }
            </style>
            <main>
            <h1>{{title}}</h1>
            <p>{{detail}}</p>
            <p>{{remedy}}</p>
            <p><small>Request {{request}}</small></p>
            </main>
            </html>

            """)
}
