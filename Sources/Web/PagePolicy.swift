/// A page's Content Security Policy (Level 3): the resources that it may load, run and send to. Each page carries its policy twice: as a header, and in a
/// `<meta>`, so that a file of it on a disk has one too.
package struct PagePolicy: Sendable {
    /// For `<meta http-equiv="Content-Security-Policy">`, which takes everything but `frame-ancestors` (section 3.3).
    package let meta: String

    /// - Parameters:
    ///   - style: the source of its stylesheet.
    ///   - script: the source of its one script; nil where there is none.
    ///   - images: what it may show: by default the server's icon; nil where there is none.
    ///   - forms: where its forms may lead; nil where they may lead anywhere.
    package init(style: String = "'unsafe-inline'", script: String? = nil, images: String? = "'self'", forms: String? = "'none'") {
        let directives = [
            "default-src 'none'", script.map { "script-src \($0)" }, "style-src \(style)", images.map { "img-src \($0)" },
            "base-uri 'none'", forms.map { "form-action \($0)" },
        ]
        meta = directives.compactMap(\.self).joined(separator: "; ")
    }

    /// For the `Content-Security-Policy` header: no page is framed either.
    package var header: String { "\(meta); frame-ancestors 'none'" }
}
