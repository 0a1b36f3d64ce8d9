import HTTPTypes
import Hummingbird
import Web

/// The pages on which a user decides about a device. They have no script, and their forms go only to this server.
enum DevicePage {
    /// The page for the user code.
    /// - Parameter problem: what is wrong with the last one.
    static func entry(_ slug: String, code: String, problem: String? = nil, _ context: WebContext) -> Response {
        if problem != nil { context.record.note(outcome: "user_code_refused") }
        return response(
            [
                "title": "Sign in on a device", "isEntry": true, "action": "/t/\(slug)/device", "code": code,
                "isFilled": !code.isEmpty,
            ], problem: problem, status: problem == nil ? .ok : .badRequest)
    }

    /// The page that shows the device, before the sign-in with Apple.
    static func confirmation(_ slug: String, _ facts: DeviceFacts, ticket: String, problem: String? = nil) -> Response {
        response(
            [
                "title": "Is this your device?", "isConfirmation": true, "signIn": "/t/\(slug)/device/sign-in?ticket=\(ticket)",
                "refusal": "/t/\(slug)/device/refusal", "ticket": ticket,
            ], facts, problem: problem)
    }

    /// The page that shows the user and the device, after the sign-in with Apple.
    static func approval(_ slug: String, _ facts: DeviceFacts, user: String, ticket: String, login: String) -> Response {
        response(
            [
                "title": "Sign in on this device?", "isApproval": true, "user": user, "approval": "/t/\(slug)/device/approval",
                "refusal": "/t/\(slug)/device/refusal", "ticket": ticket, "login": login,
            ], facts)
    }

    private static func response(
        _ content: [String: Any], _ facts: DeviceFacts? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        var content = content
        content["policy"] = policy.meta
        if let problem { (content["hasProblem"], content["problem"]) = (true, problem) }
        if let facts {
            content["facts"] = facts.facts.map { ["name": $0.name, "value": $0.value] }
            if let place = facts.place { (content["hasPlace"], content["place"]) = (true, place) }
        }
        // The browser states the origin of a form only with this policy. Apple learns no address.
        return .page(template.render(content), status, policy: policy, referrerPolicy: "same-origin")
    }

    private static let policy = PagePolicy(forms: "'self'")

    private static let template = HTMLTemplate.page(
        titled: "{{title}}", style: style,
        """
        <main>
        <h1>{{title}}</h1>
        {{#hasProblem}}
        <p role="alert" class="problem">{{problem}}</p>
        {{/hasProblem}}
        {{#isEntry}}
        <form method="post" action="{{action}}">
        <p><label for="user_code">Enter the code that your device shows.</label></p>
        <p><input id="user_code" name="user_code" value="{{code}}" required maxlength="20" size="12" autocomplete="off" \
        autocapitalize="characters" spellcheck="false"{{^isFilled}} autofocus{{/isFilled}}></p>
        <p><button>Next</button></p>
        </form>
        <p>Enter a code only from a device that you have in front of you. Nobody from support will ever ask you for it.</p>
        {{/isEntry}}
        {{#isApproval}}
        <p>You are signed in as <bdi>{{user}}</bdi>. If you allow it, the device can use the application as you.</p>
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
        <p><strong>Continue only if you started this on a device that you have in front of you, and it shows the same code. Nobody \
        from support will ever ask you for it.</strong></p>
        {{/isEntry}}
        {{#isConfirmation}}
        <p><a class="button" href="{{signIn}}">Continue with Apple</a></p>
        {{/isConfirmation}}
        {{#isApproval}}
        <form method="post" action="{{approval}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <input type="hidden" name="login" value="{{login}}">
        <p><button>Allow this device</button></p>
        </form>
        {{/isApproval}}
        {{^isEntry}}
        <form method="post" action="{{refusal}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <p><button class="refusal">Refuse</button></p>
        </form>
        {{/isEntry}}
        </main>
        """)

    private static let style = """
        :root { color-scheme: light dark; --ink: #111; --soft: #555; --ground: #fff; --alarm: #a30000; font: 17px/1.5 system-ui, sans-serif; }
        @media (prefers-color-scheme: dark) { :root { --ink: #f2f2f2; --soft: #a8a8a8; --ground: #161616; --alarm: #ff9a8f; } }
        body { margin: 0; min-height: 100vh; display: grid; place-content: center; color: var(--ink); background: var(--ground); }
        main { max-width: 27rem; padding: 2rem; box-sizing: border-box; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.2; }
        dt { color: var(--soft); }
        dd { margin: 0 0 .5rem; }
        .problem { color: var(--alarm); }
        input, button, .button { font: inherit; box-sizing: border-box; width: 100%; padding: .6rem 1rem; border-radius: .5rem; }
        input { color: var(--ink); background: var(--ground); border: 1px solid var(--soft); letter-spacing: .1em; text-transform: uppercase; }
        button, .button { display: block; text-align: center; text-decoration: none; cursor: pointer; border: 1px solid var(--ink); }
        button, .button { color: var(--ground); background: var(--ink); }
        .refusal { color: var(--ink); background: var(--ground); }
        """
}
