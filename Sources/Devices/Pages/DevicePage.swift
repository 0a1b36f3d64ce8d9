import Access
import HTTPTypes
import Hummingbird
import Pages
import Sessions
import Tenancy
import Web

/// The pages on which a user decides about a device. They have no script, and their forms go only to this server.
struct DevicePage {
    /// The path of the tenant's pages.
    let path: String
    let frame: PageFrame

    /// The page for the user code.
    /// - Parameter problem: what is wrong with the last one.
    func entry(code: String, problem: Text? = nil, _ context: WebContext) -> Response {
        if problem != nil { context.record.note(outcome: "user_code_refused") }
        return response(
            .signInOnADevice, ["isEntry": true, "action": "\(path)/device", "code": code, "isFilled": !code.isEmpty], problem: problem,
            status: problem == nil ? .ok : .badRequest)
    }

    /// The page that shows the device, before the sign-in with Apple.
    func confirmation(_ facts: DeviceFacts, ticket: String, problem: Text? = nil) -> Response {
        response(
            .isThisYourDevice,
            ["isConfirmation": true, "signIn": "\(path)/device/sign-in?ticket=\(ticket)", "ticket": ticket], facts, problem: problem)
    }

    /// The page that shows the user and the device, after the sign-in with Apple.
    /// - Parameter thirdParty: what the approval also allows. Nil for the tenant's own applications.
    func approval(_ facts: DeviceFacts, _ thirdParty: ThirdPartyFacts?, user: String, ticket: String, login: String) -> Response {
        var content: [String: Any] = [
            "isApproval": true, "signedIn": frame.content(.signedInAs, [.user: user]), "approval": "\(path)/device/approval",
            "ticket": ticket, "login": login,
        ]
        if let thirdParty {
            content["isOfThirdParty"] = true
            content.merge(thirdParty.content(in: frame)) { mine, _ in mine }
        }
        return response(.signInOnThisDevice, content, facts)
    }

    private func response(
        _ title: Text, _ content: [String: Any], _ facts: DeviceFacts? = nil, problem: Text? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        var content = content
        (content["title"], content["refusal"]) = (frame.language.text(title), "\(path)/device/refusal")
        for text in Self.texts { content[text.rawValue] = frame.language.text(text) }
        if let problem { (content["hasProblem"], content["problem"]) = (true, frame.language.text(problem)) }
        if let facts {
            content["facts"] = facts.facts.map { ["name": $0.name, "value": $0.value] }
            if let place = facts.place { (content["hasPlace"], content["place"]) = (true, place) }
        }
        // The browser states the origin of a form only with this policy. Apple learns no address.
        return frame.response(Self.template, content, status, forms: "'self'", referrerPolicy: "same-origin")
    }

    /// The texts that the template names.
    private static let texts: [Text] = [
        .enterTheCode, .next, .enterOnlyYourCode, .continueOnlyOnYourDevice, .continueWithApple, .allowThisDevice, .refuse,
    ]

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{title}}</h1>
        {{#hasProblem}}
        <p role="alert" class="problem">{{problem}}</p>
        {{/hasProblem}}
        {{#isEntry}}
        <form method="post" action="{{action}}">
        <p><label for="user_code">{{enterTheCode}}</label></p>
        <p><input id="user_code" name="user_code" value="{{code}}" required maxlength="20" size="12" autocomplete="off" \
        autocapitalize="characters" spellcheck="false" dir="ltr"{{^isFilled}} autofocus{{/isFilled}}></p>
        <p><button>{{next}}</button></p>
        </form>
        <p>{{enterOnlyYourCode}}</p>
        {{/isEntry}}
        {{#isApproval}}
        <p>{{#signedIn}}{{>text}}{{/signedIn}}</p>
        {{/isApproval}}
        {{^isEntry}}
        <dl>
        {{#facts}}
        <dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd>
        {{/facts}}
        </dl>
        {{#hasPlace}}
        <p>{{place}}</p>
        {{/hasPlace}}
        <p><strong>{{continueOnlyOnYourDevice}}</strong></p>
        {{/isEntry}}
        {{#isOfThirdParty}}
        \(ThirdPartyFacts.template)
        {{/isOfThirdParty}}
        {{#isConfirmation}}
        <p><a class="button" href="{{signIn}}">{{continueWithApple}}</a></p>
        {{/isConfirmation}}
        {{#isApproval}}
        <form method="post" action="{{approval}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <input type="hidden" name="login" value="{{login}}">
        {{#isOfThirdParty}}
        <input type="hidden" name="third_party" value="shown">
        {{/isOfThirdParty}}
        <p><button>{{allowThisDevice}}</button></p>
        </form>
        {{/isApproval}}
        {{^isEntry}}
        <form method="post" action="{{refusal}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <p><button class="refusal">{{refuse}}</button></p>
        </form>
        {{/isEntry}}
        """)
}

extension DevicePage {
    /// The pages of a tenant, for the person who sends the request.
    init(_ request: Request, _ tenant: TenantConfiguration, _ context: WebContext) {
        (path, frame) = (tenant.tenant.path, PageFrame(request, tenant, context))
    }
}
