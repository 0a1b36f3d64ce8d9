import Web

/// The mail with a link that proves an account, as text and as HTML with the same content. It loads nothing, and says nothing about the
/// account or about who asked.
package struct LinkMail {
    /// Up to 200 characters.
    package let subject: String
    package let text, html: String

    /// - Parameters:
    ///   - link: its address, in ASCII.
    ///   - frame: the frame of the page that asked, for its language and the name of the tenant.
    package init(link: String, in frame: PageFrame) {
        let language = frame.language
        let values: [Text.Placeholder: String] = [.organization: frame.brand?.name ?? ""]
        var short = String.UnicodeScalarView()
        short.append(contentsOf: language.text(.mailSubject, values).unicodeScalars.prefix(200))
        subject = String(short)
        text = """
            \(language.text(.mailConnects, values))

            \(language.text(.openLinkWhereYouAsked))

            \(link)

            \(language.text(.ignoreUnaskedMail))

            """
        let content: [String: Any] = [
            "title": subject, "link": link, "detail": frame.content(.mailConnects, values),
            "next": language.text(.openLinkWhereYouAsked), "otherwise": language.text(.ignoreUnaskedMail),
        ]
        html = Self.template.render(content.merging(frame.rootContent) { mine, _ in mine })
    }

    private static let template = HTMLTemplate(
        """
        <!doctype html>
        <html \(PageFrame.root)>
        <meta charset="utf-8">
        <title>{{title}}</title>
        <p>{{#detail}}{{>text}}{{/detail}}</p>
        <p>{{next}}</p>
        <p><a href="{{link}}"><bdi>{{link}}</bdi></a></p>
        <p>{{otherwise}}</p>
        </html>

        """, partials: ["text": "{{words}}{{#isValue}}<bdi>{{value}}</bdi>{{/isValue}}"])
}
