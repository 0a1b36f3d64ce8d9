/// A page's Content Security Policy (Level 3): the resources that it may load and run, and the targets that it may send to. Each page
/// contains its policy twice: as a header, and in a `<meta>`, so that a saved file has the policy too.
package struct PagePolicy: Sendable {
    /// The content of `<meta http-equiv="Content-Security-Policy">`, which supports everything except
    /// `frame-ancestors` (section 3.3).
    package let meta: String

    /// - Parameters:
    ///   - style: The source of its stylesheet.
    ///   - script: The source of its one script; nil for no script.
    ///   - images: The permitted images. Default: the server's icon. Nil for no images.
    ///   - frames: The permitted sources of its frames; nil for no frames.
    ///   - forms: The permitted targets of its forms; nil for any target.
    package init(
        style: String = "'unsafe-inline'", script: String? = nil, images: String? = "'self'", frames: String? = nil,
        forms: String? = "'none'"
    ) {
        let directives = [
            "default-src 'none'", script.map { "script-src \($0)" }, "style-src \(style)", images.map { "img-src \($0)" },
            frames.map { "frame-src \($0)" },
            "base-uri 'none'", forms.map { "form-action \($0)" },
        ]
        meta = directives.compactMap(\.self).joined(separator: "; ")
    }

    /// The permitted targets of forms to this server, of which the response redirects to an address.
    ///
    /// Browsers also check the redirects that follow a form (Content Security Policy Level 3, section 6.3.1). An application may redirect
    /// to further addresses, so only the schemes are restricted.
    /// - Parameter addresses: the absolute URIs to which the response may redirect.
    package static func forms(redirectingTo addresses: [String]) -> String {
        guard !addresses.isEmpty else { return "'self'" }
        let schemes = addresses.map { String(decoding: $0.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self) }
        return (["'self'"] + Set(schemes + ["https"]).sorted().map { "\($0):" }).joined(separator: " ")
    }

    /// The content of the `Content-Security-Policy` header. It also prevents framing.
    package var header: String { "\(meta); frame-ancestors 'none'" }
}
