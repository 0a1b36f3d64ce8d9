import Mustache

/// The pages a person sees: whom to sign in as, the sheet, and Apple's refusal.
enum Pages {
    /// A template written in this source: a mistake in it is ours, and every page's test meets it.
    static func parse(_ text: String) -> MustacheTemplate {
        do { return try MustacheTemplate(string: text) } catch { preconditionFailure("A template does not parse: \(error)") }
    }

    /// Step one: the people of the house, each a button.
    static func people(_ people: [Person], for request: AuthorizeRequest, carrying form: Form) -> String {
        render(
            peopleTemplate, title: "Sign in to \(request.client.displayName)",
            [
                "client": request.client.displayName, "carried": carried(form),
                "people": people.map { person in
                    [
                        "id": person.id, "name": person.fullName, "email": person.email ?? "no e-mail address",
                        "initials": "\(person.givenName.prefix(1))\(person.familyName.prefix(1))",
                    ]
                },
            ])
    }

    /// Step two: the sheet. `person` is nil for a new one. A person who has consented before gets the short form.
    static func sheet(_ person: Person?, hasConsented: Bool, for request: AuthorizeRequest, carrying form: Form) -> String {
        var content: [String: Any] = [
            "client": request.client.displayName, "carried": carried(form), "person": person?.id ?? "new",
            "name": person?.fullName ?? "a new person",
        ]
        if !hasConsented {
            if request.scopes.contains(.name) {
                content["askName"] = ["given": person?.givenName ?? "New", "family": person?.familyName ?? "Person"]
            }
            if request.scopes.contains(.email), person == nil || person?.email != nil {
                content["askEmail"] = ["address": person?.email ?? "an address of their own"]
            }
        }
        return render(sheetTemplate, title: "Sign in to \(request.client.displayName)", content)
    }

    static func refusal(_ refusal: AuthorizeRequest.Refusal) -> String {
        render(refusalTemplate, title: "Sign in refused", ["code": refusal.code.rawValue, "reason": refusal.reason])
    }

    static func brokenByFault(status: Int) -> String {
        "<html><head><title>\(status)</title></head><body><center><h1>\(status)</h1></center><hr><center>Apple</center></body></html>"
    }

    /// The parameters of the request, to come again with the next step. Those of the page itself are left out.
    private static func carried(_ form: Form) -> [[String: String]] {
        form.fields.filter { !$0.name.hasPrefix("simulator_") }.map { ["name": $0.name, "value": $0.value] }
    }

    private static func render(_ template: MustacheTemplate, title: String, _ content: [String: Any]) -> String {
        frameTemplate.render(["title": title, "style": style, "body": template.render(content)])
    }

    private static let peopleTemplate = parse(
        """
        <p class="lead">Use your Apple Account to sign in to {{client}}.</p>
        <form method="get" action="/auth/authorize">
        {{#carried}}<input type="hidden" name="{{name}}" value="{{value}}">{{/carried}}
        {{#people}}
        <button class="person" name="simulator_person" value="{{id}}">
        <span class="face">{{initials}}</span><span><b>{{name}}</b><small>{{email}}</small></span>
        </button>
        {{/people}}
        <button class="person" name="simulator_person" value="new">
        <span class="face">+</span><span><b>New person</b><small>never seen here before</small></span>
        </button>
        </form>
        <form method="post" action="/auth/authorize">
        {{#carried}}<input type="hidden" name="{{name}}" value="{{value}}">{{/carried}}
        <button class="quiet" name="simulator_action" value="cancel">Cancel</button>
        </form>
        """)

    private static let sheetTemplate = parse(
        """
        <p class="lead">Sign in to {{client}} with your Apple Account.</p>
        <p>You are {{name}}.</p>
        <form method="post" action="/auth/authorize">
        {{#carried}}<input type="hidden" name="{{name}}" value="{{value}}">{{/carried}}
        <input type="hidden" name="simulator_person" value="{{person}}">
        {{#askName}}
        <fieldset><legend>Name</legend>
        <input name="simulator_given_name" aria-label="Given name" placeholder="Given name" value="{{given}}" maxlength="200">
        <input name="simulator_family_name" aria-label="Family name" placeholder="Family name" value="{{family}}" maxlength="200">
        </fieldset>
        {{/askName}}
        {{#askEmail}}
        <fieldset><legend>E-mail</legend>
        <label><input type="radio" name="simulator_email" value="share" checked> Share my e-mail<small>{{address}}</small></label>
        <label><input type="radio" name="simulator_email" value="hide"> Hide my e-mail<small>a relay address forwards to you</small></label>
        </fieldset>
        {{/askEmail}}
        <button class="primary" name="simulator_action" value="continue">Continue</button>
        <button class="quiet" name="simulator_action" value="cancel">Cancel</button>
        </form>
        """)

    private static let refusalTemplate = parse(
        """
        <p class="lead">Your request could not be completed.</p>
        <p><code>{{code}}</code></p>
        <p>{{reason}}.</p>
        """)

    private static let frameTemplate = parse(
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}}</title>
        <style>{{{style}}}</style>
        </head>
        <body>
        <main>
        <h1>Apple Account</h1>
        {{{body}}}
        <footer>This is a simulator. No Apple Account is involved.</footer>
        </main>
        </body>
        </html>
        """)

    private static let style = """
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:grid;place-items:center;background:#f5f5f7;color:#1d1d1f;
        font:17px/1.45 -apple-system,system-ui,"Segoe UI",Roboto,sans-serif}
        main{width:min(30rem,calc(100vw - 2rem));margin:2rem 0;padding:2rem;background:#fff;border-radius:1.2rem;
        box-shadow:0 10px 40px #0002;text-align:center}
        h1{margin:0 0 .5rem;font-size:1.5rem;font-weight:600}
        .lead{margin:0 0 1.2rem}
        form{display:grid;gap:.6rem;margin:0 0 .6rem}
        button{font:inherit;cursor:pointer;border:0;border-radius:.8rem;padding:.7rem 1rem;background:#f5f5f7;color:inherit}
        button:hover{filter:brightness(.97)}
        button:focus-visible,input:focus-visible{outline:3px solid #0071e388}
        .primary{background:#000;color:#fff;font-weight:600}
        .primary:hover{background:#333}
        .quiet{background:none;color:#0066cc}
        .person{display:flex;gap:.9rem;align-items:center;text-align:left}
        .face{flex:none;display:grid;place-items:center;width:2.6rem;height:2.6rem;border-radius:50%;background:#d2d2d7;font-weight:600}
        small{display:block;color:#6e6e73;font-size:.85rem}
        fieldset{display:grid;gap:.5rem;margin:0;padding:.8rem 1rem;border:1px solid #d2d2d7;border-radius:.8rem;text-align:left}
        legend{padding:0 .3rem;color:#6e6e73;font-size:.85rem}
        input:not([type]){font:inherit;width:100%;padding:.5rem .7rem;border:1px solid #d2d2d7;border-radius:.5rem}
        label small{margin-left:1.6rem}
        footer{margin-top:1.4rem;color:#6e6e73;font-size:.8rem}
        @media (prefers-color-scheme:dark){body{background:#000;color:#f5f5f7}main{background:#1d1d1f}
        button{background:#2d2d2f}.primary{background:#fff;color:#000}.primary:hover{background:#ddd}.quiet{background:none;color:#2997ff}
        .face{background:#48484a}input:not([type]){background:#000;color:inherit;border-color:#48484a}fieldset{border-color:#48484a}}
        """
}
