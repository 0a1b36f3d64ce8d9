import Hummingbird

/// Apple's endpoints at Apple's paths, and under `/simulator/` what Apple has in its portal, on its devices or not at all.
///
/// **A login.** A browser opens `/auth/authorize`, chooses a person, presses Continue, and its form_post goes to the redirect
/// URI; the server there redeems the code at `/auth/token`. A program skips the page: with the header `Simulator-Person`
/// (a name, `new` for somebody fresh, or `cancel`), optionally `Simulator-Email` (`share`, `hide`) and `Simulator-Name`
/// (`Given Family`), it gets at once the form_post page whose hidden inputs it sends on, or the redirect of the other modes.
/// Every refusal carries its reason in the header `Simulator-Reason`; Apple gives none.
///
/// **The portal.** Bodies are JSON; unknown fields are refused; an error is `{"error", "field"}`.
/// - `GET /simulator/registry`: all of it, as a registry file.
/// - `PUT /simulator/teams/{team}`: `kind` (`organization`, `individual`), `bundle_ids`, `notification_url`, all optional.
/// - `PUT /simulator/services-ids/{id}`: `team`, `display_name`, `return_urls` (10 or 100).
/// - `POST /simulator/keys`: `team`, optional `id`, optional `public_key` (PEM). Without a public key the answer has
///   `private_key`, the content of the `.p8`, this once. A team has two keys at most.
/// - `DELETE /simulator/keys/{key}` revokes a key.
/// - `POST /simulator/transfers`: `client_id`, `team`: the app or website is that team's from now on, and its users are on their way.
/// - `GET`, `POST /simulator/people`: `name`, `id`, `email` (null: none), `boolean_style` (`booleans`, `strings`, `omitted`), `organization`.
/// - `GET /simulator/people/{person}/consents`: to whom somebody has agreed, as their account's settings show it.
///
/// **The rest.**
/// - `POST /simulator/native-authorizations`: `client_id` (a bundle ID), `person`, `nonce`, `hides_email`; what a device would give.
/// - `POST /simulator/notifications`: `client_id`, `person`, `type`, `form` (`seen`: JSON string and milliseconds, the default;
///   `documented`: object and seconds). Waits for the receiver and answers its `status`.
/// - `POST /simulator/notifications/sign`: signs the claims in the body, whatever they are, and answers the `payload`: for notifications
///   that are late, doubled or strange. Sends nothing.
/// - `POST /simulator/signing-keys/rotate`: the next token is signed by a key that nobody has seen.
/// - `POST /simulator/faults`: see ``FaultRequest``. `GET` lists, `DELETE /simulator/faults[/{id}]` clears, `?client_id=` one client's.
/// - `POST /simulator/reset`: as at the start, with the same signing keys.
extension SimulatedApple {
    var router: Router<SimulatorContext> {
        let router = Router(context: SimulatorContext.self)
        router.add(middleware: AccessLog())
        router.get("/auth/authorize", use: authorize)
        router.post("/auth/authorize", use: pressButton)
        router.post("/auth/token", use: token)
        router.post("/auth/revoke", use: revoke)
        router.post("/auth/usermigrationinfo", use: migrateUser)
        router.get("/auth/keys", use: keys)
        router.get("/.well-known/openid-configuration", use: discovery)

        router.get("/simulator/registry", use: showRegistry)
        router.put("/simulator/teams/{team}", use: putTeam)
        router.put("/simulator/services-ids/{services_id}", use: putServicesID)
        router.post("/simulator/keys", use: addKey)
        router.delete("/simulator/keys/{key}", use: revokeKey)
        router.post("/simulator/transfers", use: transferClient)
        router.get("/simulator/people", use: listPeople)
        router.post("/simulator/people", use: addPerson)
        router.get("/simulator/people/{person}/consents", use: listConsents)

        router.post("/simulator/native-authorizations", use: authorizeNatively)
        router.post("/simulator/notifications", use: notify)
        router.post("/simulator/notifications/sign", use: signNotification)
        router.post("/simulator/signing-keys/rotate", use: rotateSigningKeys)
        router.post("/simulator/faults", use: addFault)
        router.get("/simulator/faults", use: listFaults)
        router.delete("/simulator/faults", use: clearFaults)
        router.delete("/simulator/faults/{fault}", use: clearFault)
        router.post("/simulator/reset", use: reset)
        return router
    }
}
