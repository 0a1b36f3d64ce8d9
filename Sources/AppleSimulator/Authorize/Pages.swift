import Web

/// The pages for a person: the choice of the person, the sheet, and Apple's error page.
enum Pages {
    /// The forms continue to the website, and browsers also apply `form-action` to the redirect of a response.
    static let policy = PagePolicy(forms: nil)

    /// Step one: the registered people, each a button.
    static func people(_ people: [Person], for request: AuthorizeRequest, carrying form: Form) -> String {
        render(
            peopleTemplate, title: "Sign in to \(request.client.displayName)",
            [
                "client": request.client.displayName, "carried": carried(form),
                "people": people.map { person in
                    [
                        "id": person.id, "name": person.fullName, "email": person.email ?? "no email address",
                        "initials": "\(person.givenName.prefix(1))\(person.familyName.prefix(1))",
                    ]
                },
            ])
    }

    /// Step two: the sheet. `person` is nil for a new person. A person with an earlier consent gets the short form.
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
        // Apple's own page, which has no policy. It contains only a number.
        "<html><head><title>\(status)</title></head><body><center><h1>\(status)</h1></center><hr><center>Apple</center></body></html>"
    }

    /// The parameters of the request, for the next step, without the fields of the page itself.
    private static func carried(_ form: Form) -> [[String: String]] {
        form.fields.filter { !$0.name.utf8.starts(with: "simulator_".utf8) }.map { ["name": $0.name, "value": $0.value] }
    }

    private static func render(_ template: HTMLTemplate, title: String, _ content: [String: Any]) -> String {
        frameTemplate.render(["title": title, "policy": policy.meta, "style": style, "body": template.render(content)])
    }

    private static let peopleTemplate = HTMLTemplate(
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
        <span class="face">+</span><span><b>New person</b><small>not used here before</small></span>
        </button>
        </form>
        <form method="post" action="/auth/authorize">
        {{#carried}}<input type="hidden" name="{{name}}" value="{{value}}">{{/carried}}
        <button class="quiet" name="simulator_action" value="cancel">Cancel</button>
        </form>
        """)

    private static let sheetTemplate = HTMLTemplate(
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
        <fieldset><legend>Email</legend>
        <label><input type="radio" name="simulator_email" value="share" checked> Share my email<small>{{address}}</small></label>
        <label><input type="radio" name="simulator_email" value="hide"> Hide my email<small>a relay address forwards to you</small></label>
        </fieldset>
        {{/askEmail}}
        <button class="primary" name="simulator_action" value="continue">Continue</button>
        <button class="quiet" name="simulator_action" value="cancel">Cancel</button>
        </form>
        """)

    private static let refusalTemplate = HTMLTemplate(
        """
        <p class="lead">Your request could not be completed.</p>
        <p><code>{{code}}</code></p>
        <p>{{reason}}.</p>
        """)

    private static let frameTemplate = HTMLTemplate(
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="{{policy}}">
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

    /// Light or dark according to the browser's setting. Each text has a contrast of at least 4.5:1 (WCAG 2.2,
    /// 1.4.3).
    static let style = """
        :root{color-scheme:light dark;--ground:#f5f5f7;--card:#fff;--ink:#1d1d1f;--soft:#5f5f64;--button:#f5f5f7;--primary:#000;
        --on-primary:#fff;--primary-hover:#333;--link:#0062c4;--face:#d2d2d7;--line:#d2d2d7;--field:#fff}
        @media (prefers-color-scheme:dark){:root{--ground:#000;--card:#1d1d1f;--ink:#f5f5f7;--soft:#a6a6ab;--button:#2d2d2f;--primary:#fff;
        --on-primary:#000;--primary-hover:#ddd;--link:#4aa8ff;--face:#48484a;--line:#48484a;--field:#000}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);
        font:17px/1.45 -apple-system,system-ui,"Segoe UI",Roboto,sans-serif}
        main{width:min(30rem,calc(100vw - 2rem));margin:2rem 0;padding:2rem;background:var(--card);border-radius:1.2rem;
        box-shadow:0 10px 40px #0002;text-align:center}
        h1{margin:0 0 .5rem;font-size:1.5rem;font-weight:600}
        .lead{margin:0 0 1.2rem}
        form{display:grid;gap:.6rem;margin:0 0 .6rem}
        button{font:inherit;cursor:pointer;border:0;border-radius:.8rem;padding:.7rem 1rem;background:var(--button);color:inherit}
        button:hover{filter:brightness(.97)}
        button:focus-visible,input:focus-visible{outline:3px solid #0071e388}
        .primary{background:var(--primary);color:var(--on-primary);font-weight:600}
        .primary:hover{background:var(--primary-hover)}
        .quiet{background:none;color:var(--link)}
        .person{display:flex;gap:.9rem;align-items:center;text-align:left}
        .face{flex:none;display:grid;place-items:center;width:2.6rem;height:2.6rem;border-radius:50%;background:var(--face);font-weight:600}
        small{display:block;color:var(--soft);font-size:.85rem}
        fieldset{display:grid;gap:.5rem;margin:0;padding:.8rem 1rem;border:1px solid var(--line);border-radius:.8rem;text-align:left}
        legend{padding:0 .3rem;color:var(--soft);font-size:.85rem}
        input:not([type]){font:inherit;width:100%;padding:.5rem .7rem;border:1px solid var(--line);border-radius:.5rem;
        background:var(--field);color:inherit}
        label small{margin-left:1.6rem}
        footer{margin-top:1.4rem;color:var(--soft);font-size:.8rem}
        """
}
