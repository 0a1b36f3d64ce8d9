import Hummingbird

/// Apple's endpoints at Apple's paths. The paths under `/simulator/` are for Apple's portal, for Apple's devices, and for functions that
/// Apple does not have.
///
/// **A login.** A browser opens `/auth/authorize`, chooses a person and presses Continue. Its form_post goes to the redirect URI. The
/// server there redeems the code at `/auth/token`. A program skips the page with the header `Simulator-Person` (a name, `new` for a new
/// person, or `cancel`), and optionally `Simulator-Email` (`share`, `hide`) and `Simulator-Name` (`Given Family`). It immediately
/// receives the form_post page, whose hidden inputs it sends, or the redirect of the other modes. The header `Simulator-Reason` of every
/// refusal contains the reason. Apple sends no reason.
///
/// **The portal.** Bodies are JSON. Unknown fields are rejected. An error is `{"error", "field"}`.
/// - `GET /simulator/registry`: everything, as a registry file.
/// - `PUT /simulator/teams/{team}`: `kind` (`organization`, `individual`), `bundle_ids`, `notification_url`, all optional.
/// - `PUT /simulator/services-ids/{id}`: `team`, `display_name`, `return_urls` (10 or 100).
/// - `POST /simulator/keys`: `team`, optional `id`, optional `public_key` (PEM). Without a public key, the response contains
///   `private_key`, the content of the `.p8`, only this once. A team has at most two keys.
/// - `DELETE /simulator/keys/{key}` revokes a key.
/// - `POST /simulator/transfers`: `client_id`, `team`: transfers the app or website to this team, with its users.
/// - `GET`, `POST /simulator/people`: `name`, `id`, `email` (null: none), `boolean_style` (`booleans`, `strings`, `omitted`),
///   `organization`.
/// - `GET /simulator/people/{person}/consents`: the person's consents, as in their account's settings.
///
/// **Other functions.**
/// - `POST /simulator/native-authorizations`: `client_id` (a bundle ID), `person`, `nonce`, `hides_email`; returns the result of a
///   device.
/// - `POST /simulator/notifications`: `client_id`, `person`, `type`, `form` (`seen`: JSON string and milliseconds, the default;
///   `documented`: object and seconds). Waits for the receiver and returns its `status`.
/// - `POST /simulator/notifications/sign`: signs any claims in the body and returns the `payload`, for late, repeated or unusual
///   notifications. Sends nothing.
/// - `POST /simulator/signing-keys/rotate`: a new key signs the next token.
/// - `POST /simulator/faults`: see ``FaultRequest``. `GET` lists, `DELETE /simulator/faults[/{id}]` clears, `?client_id=` one client's.
/// - `POST /simulator/reset`: restores the state of the start, with the same signing keys.
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
