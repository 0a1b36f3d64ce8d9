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
        // The name of a tenant without branding may have line separators, which no header contains.
        let name = DisplayName.visible(frame.brand?.name ?? "")
        // The words around it have up to 48 characters.
        var short = String.UnicodeScalarView()
        short.append(contentsOf: name.unicodeScalars.prefix(150))
        subject = language.text(.mailSubject, [.organization: language.isolated(String(short))])
        text = """
            \(language.text(.mailConnects, [.organization: language.isolated(name)]))

            \(language.text(.openLinkWhereYouAsked))

            \(link)

            \(language.text(.ignoreUnaskedMail))

            """
        html = Self.html(
            title: subject, link: link, detail: frame.content(.mailConnects, [.organization: name]),
            next: language.text(.openLinkWhereYouAsked), otherwise: language.text(.ignoreUnaskedMail), in: frame)
    }

    /// The HTML of a mail with one link.
    static func html(
        title: String, link: String, detail: [[String: Any]], next: String, otherwise: String, in frame: PageFrame
    ) -> String {
        let content: [String: Any] = ["title": title, "link": link, "detail": detail, "next": next, "otherwise": otherwise]
        return template.render(content.merging(frame.rootContent) { mine, _ in mine })
    }

    /// The direction is repeated inside, because mail programs on the web show only the content of the root element.
    private static let template = HTMLTemplate(
        """
        <!doctype html>
        <html \(PageFrame.root)>
        <meta charset="utf-8">
        <title>{{title}}</title>
        <div \(PageFrame.root)>
        <p>{{#detail}}{{>text}}{{/detail}}</p>
        <p>{{next}}</p>
        <p><a href="{{link}}"><bdi>{{link}}</bdi></a></p>
        <p>{{otherwise}}</p>
        </div>
        </html>

        """, partials: ["text": "{{words}}{{#isValue}}<bdi>{{value}}</bdi>{{/isValue}}"])
}
