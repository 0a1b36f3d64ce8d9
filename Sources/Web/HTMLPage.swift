package import HTTPTypes
package import Hummingbird
import NIOCore

extension HTMLTemplate {
    /// A whole page. Its content needs `policy`: the page's own Content Security Policy, as `PagePolicy.meta`.
    /// - Parameters:
    ///   - title: The title of the window. Like the body, it can contain Mustache tags.
    ///   - style: The stylesheet. It is inserted unchanged, so that a policy can name it by its hash.
    ///   - root: The attributes of the root element: the language and its direction.
    ///   - partials: The texts that `{{>name}}` inserts, by name.
    package static func page(
        titled title: String, style: String, root: String = #"lang="en""#, _ body: String, partials: [String: String] = [:]
    ) -> HTMLTemplate {
        HTMLTemplate(
            """
            <!doctype html>
            <html \(root)>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="{{policy}}">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>\(title)</title>
            <style>\(style)</style>
            \(body)
            </html>

            """, partials: partials)
    }
}

extension Response {
    /// Returns a page. By default, no cache stores it, and a request that starts on it sends no address.
    /// - Parameter policy: The policy of the template's `{{policy}}`.
    package static func page(
        _ html: String, _ status: HTTPResponse.Status = .ok, policy: PagePolicy, cacheControl: String = "no-store",
        referrerPolicy: String = "no-referrer"
    ) -> Response {
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: "\(html.utf8.count)", .cacheControl: cacheControl,
            .contentSecurityPolicy: policy.header, .referrerPolicy: referrerPolicy,
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}

extension Response {
    /// The same response, which also sets these cookies.
    /// - Parameter cookies: Values of `Set-Cookie`.
    package func setting(_ cookies: [String]) -> Response {
        var response = self
        for cookie in cookies { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return response
    }
}

extension HTTPField.Name {
    package static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
