import Encoding
import Factors
package import HTTPTypes
package import Hummingbird
package import Pages
import Web

/// A page of the account or of its sign-in: what it tells, and its forms. It has no script.
///
///     AccountPage(.yourName).with(form: AccountForm(…)).response(in: frame)
package struct AccountPage: Sendable {
    /// A line of a list of facts.
    package struct Fact: Sendable {
        let name: Text
        let value: String

        package init(_ name: Text, _ value: String) { (self.name, self.value) = (name, value) }
    }

    struct Link: Sendable {
        let text: Text
        let path: String
    }

    /// A part of the page with a heading of its own.
    struct Section: Sendable {
        let heading: String
        var lines: [String] = []
        /// Things of the same kind, each with its own heading.
        var items: [Section] = []
        var forms: [AccountForm] = []
        var links: [NamedLink] = []

        init(_ heading: String, lines: [String] = [], forms: [AccountForm] = [], links: [NamedLink] = []) {
            (self.heading, self.lines, self.forms, self.links) = (heading, lines, forms, links)
        }

        fileprivate func content(in frame: PageFrame, _ values: [Text.Placeholder: String]) -> [String: Any] {
            // Each name has a value, because a template looks for a missing one in the content around it.
            [
                "heading": heading, "lines": lines.map { ["line": $0] }, "items": items.map { $0.content(in: frame, values) },
                "forms": forms.map { $0.content(in: frame, values) },
                "links": links.map { ["path": $0.path + frame.query, "text": $0.text, "subject": $0.subject] },
            ]
        }
    }

    /// A link in a section. Its subject tells it from others with the same text.
    struct NamedLink: Sendable {
        let text, subject, path: String
    }

    let title: Text
    /// The values of the placeholders in all texts.
    var values: [Text.Placeholder: String] = [:]
    /// The result of the action before. The title has it, too, so that a screen reader reads it when the page loads.
    var notice: Text?
    /// The next step after this result.
    var noticeLink: Link?
    /// The reason why the action before was refused.
    package var problem: Text?
    package var details: [Text] = []
    package var facts: [Fact] = []
    /// Codes that the person copies or prints.
    var codes: [String] = []
    /// An SVG of our own, such as a QR code. It is inserted unchanged.
    var picture: String?
    /// The address below the picture that has the same content, for an app on this device.
    var pictureLink: Link?
    package var forms: [AccountForm] = []
    /// Forms after all sections, each with a line above, because they do not belong to the last section.
    var lastForms: [AccountForm] = []
    /// The addresses outside of this server to which the response to a form may redirect.
    package var redirects: [String] = []
    var links: [Link] = []
    var sections: [Section] = []
    package var status = HTTPResponse.Status.ok
    /// The origin that the browser states with a form. A page whose address is a secret has `strict-origin`.
    var referrerPolicy = "same-origin"

    package init(_ title: Text, values: [Text.Placeholder: String] = [:]) {
        (self.title, self.values) = (title, values)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        func words(_ text: Text) -> String { language.text(text, values) }
        let first = problem ?? forms.lazy.flatMap(\.fields).compactMap(\.problem).first ?? notice
        var content: [String: Any] = [
            // Many screen readers do not announce an alert or a status of a page that loads. They read the title.
            "title": (first.map { "\(words($0)) " } ?? "") + words(title), "heading": words(title),
            "details": details.map { ["sentence": frame.content($0, values)] },
            "hasFacts": !facts.isEmpty, "facts": facts.map { ["name": words($0.name), "value": $0.value] },
            "hasCodes": !codes.isEmpty, "codes": codes.map { ["code": $0] },
            "forms": forms.map { $0.content(in: frame, values) },
            "links": links.map { ["text": words($0.text), "path": $0.path] },
        ]
        content["sections"] = sections.map { $0.content(in: frame, values) }
        content["lastForms"] = lastForms.map { $0.content(in: frame, values) }
        if let notice { (content["hasNotice"], content["notice"]) = (true, words(notice)) }
        if let noticeLink {
            (content["hasNoticeLink"], content["noticePath"], content["noticeText"]) = (true, noticeLink.path, words(noticeLink.text))
        }
        if let problem { (content["hasProblem"], content["problem"]) = (true, words(problem)) }
        if let picture { (content["hasPicture"], content["picture"]) = (true, picture) }
        if let pictureLink {
            (content["hasPictureLink"], content["pictureURL"], content["pictureText"]) = (true, pictureLink.path, words(pictureLink.text))
        }
        // The browser states the origin of a form only with such a policy.
        return frame.response(
            Self.template, content, status, forms: PagePolicy.forms(redirectingTo: redirects), referrerPolicy: referrerPolicy)
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{heading}}</h1>
        {{#hasNotice}}
        <p role="status">{{notice}}</p>
        {{/hasNotice}}
        {{#hasNoticeLink}}
        <p><a href="{{noticePath}}">{{noticeText}}</a></p>
        {{/hasNoticeLink}}
        {{#hasProblem}}
        <p role="alert" class="problem">{{problem}}</p>
        {{/hasProblem}}
        {{#details}}
        <p>{{#sentence}}{{>text}}{{/sentence}}</p>
        {{/details}}
        {{#hasPicture}}
        <p>{{{picture}}}</p>
        {{/hasPicture}}
        {{#hasPictureLink}}
        <p><a href="{{pictureURL}}">{{pictureText}}</a></p>
        {{/hasPictureLink}}
        {{#hasFacts}}
        <dl>
        {{#facts}}
        <dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd>
        {{/facts}}
        </dl>
        {{/hasFacts}}
        {{#hasCodes}}
        <ul class="list">
        {{#codes}}
        <li><code dir="ltr">{{code}}</code></li>
        {{/codes}}
        </ul>
        {{/hasCodes}}
        {{#forms}}
        \(AccountForm.template)
        {{/forms}}
        {{#sections}}
        <h2>{{heading}}</h2>
        {{#lines}}
        <p><bdi>{{line}}</bdi></p>
        {{/lines}}
        {{#items}}
        <h3><bdi>{{heading}}</bdi></h3>
        {{#lines}}
        <p><bdi>{{line}}</bdi></p>
        {{/lines}}
        {{#forms}}
        \(AccountForm.template)
        {{/forms}}
        {{#links}}
        <p><a href="{{path}}" aria-label="{{text}}: {{subject}}">{{text}}</a></p>
        {{/links}}
        {{/items}}
        {{#forms}}
        \(AccountForm.template)
        {{/forms}}
        {{#links}}
        <p><a href="{{path}}" aria-label="{{text}}: {{subject}}">{{text}}</a></p>
        {{/links}}
        {{/sections}}
        {{#lastForms}}
        <hr>
        \(AccountForm.template)
        {{/lastForms}}
        {{#links}}
        <p><a href="{{path}}">{{text}}</a></p>
        {{/links}}
        """)
}
