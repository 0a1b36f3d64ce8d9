/// The pages in Mustache. They work without JavaScript.
enum PageTemplates {
    /// The frame of every page.
    static let frame = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="{{policy}}">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{title}} · Espalier demo</title>
        <style>{{{stylesheet}}}</style>
        </head>
        <body>
        <header>
        <a class="mark" href="/">\(tree)<span>Espalier</span></a>
        <span class="place">Demo application</span>
        </header>
        <main>
        {{{content}}}
        </main>
        <footer>
        <p><b>This page</b> belongs to a small application on its own port. It uses only Espalier’s OpenID Connect and REST APIs.</p>
        <p><b>Espalier</b> signs people in for each tenant, calls Apple, issues the tokens, and counts the logins.</p>
        <p><b>Apple</b> is a simulator during development, so you need no Apple account.</p>
        <p><b>More:</b> <a href="/docs/">documentation</a>, <a href="/openapi.yaml">specification of the REST API</a>, \
        <a href="/mail">mails of Espalier</a>.</p>
        </footer>
        </body>
        </html>

        """

    /// The first page: one card per tenant.
    static let tenants = """
        <h1>Sign in to a tenant</h1>
        <p class="lead">Each tenant is a customer of the same Espalier, with its own users, keys and invoice. Each sign-in adds exactly \
        one login to the tenant’s invoice.</p>
        <div class="cards">
        {{#tenants}}
        <section class="card">
        <h2>{{name}}</h2>
        <p class="chip">{{#isShared}}The platform’s Apple credentials{{/isShared}}{{^isShared}}Its own Apple credentials{{/isShared}}</p>
        {{#usage}}{{>usage}}{{/usage}}
        <a class="apple" href="/login/{{slug}}">\(appleLogo)<span>Sign in with Apple</span></a>
        <p class="fine">{{issuer}}</p>
        </section>
        {{/tenants}}
        </div>
        """

    /// A tenant's count of logins.
    static let usage = """
        <p class="usage"><strong>{{logins}}</strong> \
        {{#isKnown}}{{noun}} since {{since}}{{/isKnown}}{{^isKnown}}usage is currently unavailable{{/isKnown}}</p>
        """

    /// The data that the application received for the code.
    static let session = """
        <section class="card person">
        <div class="avatar" aria-hidden="true">{{initial}}</div>
        <div class="who">
        <h1>{{name}}</h1>
        <p>{{email}}</p>
        <p class="chip">Signed in to {{tenant}}</p>
        </div>
        {{#usage}}{{>usage}}{{/usage}}
        <div class="actions">
        {{#refreshToken}}<form method="post" action="/session/refresh"><button>Refresh tokens</button></form>{{/refreshToken}}
        <form method="post" action="/session/sign-out"><button class="quiet">Sign out</button></form>
        </div>
        </section>
        <div class="cards">
        {{#tokens}}
        <section class="card">
        <h2>{{title}}</h2>
        <p class="fine">{{audience}}</p>
        <p><code>{{abridged}}</code></p>
        {{#claims}}<pre>{{claims}}</pre>{{/claims}}{{^claims}}<p class="fine">An opaque token: only Espalier can read it.</p>{{/claims}}
        </section>
        {{/tokens}}
        </div>
        {{#refreshToken}}
        <section class="card">
        <h2>refresh_token</h2>
        <p class="fine">gets new tokens without the person; every use replaces it</p>
        <p><code>{{refreshToken}}</code></p>
        {{#isRefreshed}}
        <p class="note">Refreshed {{refreshes}}. {{#usedRefreshToken}}<code>{{usedRefreshToken}}</code> was used up, \
        and the one above replaces it. The number of logins does not change, because refreshing is free.{{/usedRefreshToken}}</p>
        {{/isRefreshed}}
        </section>
        {{/refreshToken}}
        """

    /// Any other result.
    static let refusal = """
        <section class="card refusal">
        <h1>{{title}}</h1>
        <p>{{explanation}}</p>
        <p><a class="button" href="/">Back to the first page</a></p>
        </section>
        """

    /// An espaliered tree: a trunk and its trained branches.
    private static let tree = """
        <svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" \
        aria-hidden="true"><path d="M12 22V3M12 18H4.5Q3 18 3 16.5V15M12 18H19.5Q21 18 21 16.5V15M12 12.5H6.5Q5 12.5 5 11V9.5\
        M12 12.5H17.5Q19 12.5 19 11V9.5M12 7H8.5Q7 7 7 5.5V4M12 7H15.5Q17 7 17 5.5V4"/></svg>
        """

    /// Apple's logo, according to its guidelines for the button: solid, left of the title, in the title's color.
    private static let appleLogo = """
        <svg viewBox="0 0 24 24" width="20" height="20" fill="currentColor" aria-hidden="true"><path d="M12.152 6.896c-.948 \
        0-2.415-1.078-3.96-1.040-2.040.027-3.910 1.183-4.961 3.014-2.117 3.675-.546 9.103 1.519 12.090 1.013 1.454 2.208 3.090 3.792 \
        3.039 1.520-.065 2.090-.987 3.935-.987 1.831 0 2.350.987 3.960.948 1.637-.026 2.676-1.480 3.676-2.948 1.156-1.688 1.636-3.325 \
        1.662-3.415-.039-.013-3.182-1.221-3.220-4.857-.026-3.040 2.480-4.494 2.597-4.559-1.429-2.090-3.623-2.324-4.390-2.376-2-.156-3.675 \
        1.090-4.610 1.090zM15.530 3.830c.843-1.012 1.400-2.427 1.245-3.830-1.207.052-2.662.805-3.532 1.818-.780.896-1.454 2.338-1.273 \
        3.714 1.338.104 2.715-.688 3.559-1.701"/></svg>
        """
}
