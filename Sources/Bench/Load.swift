import Encoding
import NIOHTTP1
import Synchronization

/// The operations of browsers and applications: sign in, refresh, introspect, read.
final class Load: Sendable {
    /// The tenants with nearly all of the load. The service caches more tenants than this, but not all of 100,000.
    static let busyTenants = 1_000

    private let http: LoadClient
    private let service: String
    private let seeded: Seeded
    private let authorization: String
    /// The number of users that `firstLogin` creates.
    private let users: Int
    private let sessionLimit: Int
    private let sessions = Mutex<[Session]>([])
    /// Access tokens that nobody has inspected yet.
    private let accessTokens = Mutex<[(tenant: Seeded.Member, token: String)]>([])

    /// A login's session, as its application stores it.
    private struct Session {
        let tenant: Seeded.Member
        var refreshToken: String
    }

    /// - Parameters:
    ///   - users: The number of users that will sign in for the first time.
    ///   - sessionLimit: The number of logins whose sessions are stored for refreshes.
    init(_ stage: Stage, users: Int, sessions sessionLimit: Int, concurrency: Int) {
        (http, service, seeded) = (LoadClient(connections: concurrency), stage.serviceURL, stage.seeded)
        (self.users, self.sessionLimit) = (users, sessionLimit)
        authorization = "Bearer \(stage.seeded.apiKey)"
    }

    // MARK: Login

    /// RFC 7636, appendix B. Neither side notices that it is always the same.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// A login of a person who signs in only once, for all that happens once: a tenant's first login creates its signing key.
    func warmUp(_ number: Int, _ timings: inout Timings) async throws {
        let count = seeded.tenants.count
        let tenant = number < count ? number % min(count, Self.busyTenants) : place(number)
        _ = try await signIn("login", "Early \(number)", on: seeded.tenants[tenant], &timings)
    }

    /// The first login of user `number`. Apple sends the name.
    func firstLogin(_ number: Int, _ timings: inout Timings) async throws {
        _ = try await signIn("first login", "Person \(number)", on: seeded.tenants[place(number)], &timings)
    }

    /// A login of a user who signed in before.
    func login(_ number: Int, _ timings: inout Timings) async throws {
        let user = Int(scattered(number, 1) % UInt64(users))
        let tenant = seeded.tenants[place(user)]
        let refreshToken = try await signIn("login", "Person \(user)", on: tenant, &timings)
        sessions.withLock { sessions in
            if sessions.count < sessionLimit { sessions.append(Session(tenant: tenant, refreshToken: refreshToken)) }
        }
    }

    /// A complete login: authorize, Apple, callback, token.
    /// - Returns: The refresh token.
    private func signIn(_ kind: String, _ person: String, on tenant: Seeded.Member, _ timings: inout Timings) async throws -> String {
        try await timings.time(kind) { timings in
            let toApple = try await timings.time("\(kind): authorize") { _ in
                try await http.send(
                    .GET,
                    "\(service)/t/\(tenant.slug)/oauth2/authorize?client_id=\(tenant.clientID)&redirect_uri=\(Self.redirectURI)"
                        + "&response_type=code&scope=openid%20profile%20email&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj"
                        + "&code_challenge=\(Self.challenge)&code_challenge_method=S256",
                    expecting: 302)
            }
            let page = try await timings.time("\(kind): (simulator)") { _ in
                try await http.send(
                    .GET, toApple.location, headers: [("Simulator-Person", person), ("Simulator-Email", "share")], expecting: 200)
            }
            let form = try FormPostPage(html: page.body)
            let back = try await timings.time("\(kind): callback") { _ in
                try await http.send(
                    .POST, service + form.path, headers: [("Cookie", toApple.cookie)], form: form.encodedFields, expecting: 303)
            }
            guard let code = back.query("code") else {
                throw Stage.Failure("the callback returned no code; error: \(back.query("error") ?? "none")")
            }
            return try await timings.time("\(kind): token") { _ in
                try await post(
                    "token", of: tenant,
                    "grant_type=authorization_code&code=\(code)&redirect_uri=\(Self.redirectURI)&code_verifier=\(Self.verifier)"
                ).field("refresh_token")
            }
        }
    }

    private static let redirectURI = Form.encode(Seeded.redirectURI)

    // MARK: Tokens

    /// Uses a session's refresh token and stores the next one. A session is used again only after all others.
    func refresh(_ number: Int, _ timings: inout Timings) async throws {
        let (index, session) = sessions.withLock { sessions in (number % sessions.count, sessions[number % sessions.count]) }
        let reply = try await timings.time("refresh") { _ in
            try await post("token", of: session.tenant, "grant_type=refresh_token&refresh_token=\(session.refreshToken)")
        }
        let (refreshToken, accessToken) = (try reply.field("refresh_token"), try reply.field("access_token"))
        sessions.withLock { $0[index].refreshToken = refreshToken }
        accessTokens.withLock { $0.append((session.tenant, accessToken)) }
    }

    /// Inspects an access token that nobody has inspected before.
    /// - Parameters:
    ///   - name: The name of the measurement.
    ///   - server: The URL of the server that inspects it.
    func introspect(_ name: String, at server: String, _ timings: inout Timings) async throws {
        guard let (tenant, token) = accessTokens.withLock({ $0.popLast() }) else { throw Stage.Failure("there are no more access tokens") }
        let reply = try await timings.time(name) { _ in try await post("introspect", of: tenant, "token=\(token)", at: server) }
        guard reply.body.contains("\"active\":true") else { throw Stage.Failure("an access token is not active") }
    }

    private func post(
        _ endpoint: String, of tenant: Seeded.Member, _ form: String, at server: String? = nil
    ) async throws -> LoadClient.Answer {
        try await http.send(
            .POST, "\(server ?? service)/t/\(tenant.slug)/oauth2/\(endpoint)",
            form: "\(form)&client_id=\(tenant.clientID)&client_secret=\(tenant.clientSecret)", expecting: 200)
    }

    // MARK: Read

    /// Reads a tenant with an operator's API key.
    func read(_ number: Int, _ timings: inout Timings) async throws {
        _ = try await timings.time("read") { _ in
            try await http.send(
                .GET, "\(service)/v1/tenants/\(seeded.tenants[place(number)].slug)", headers: [("Authorization", authorization)],
                expecting: 200)
        }
    }

    // MARK: Spread

    /// 95 % go to the busy tenants, 5 % to any tenant. The same in every run.
    private func place(_ number: Int) -> Int {
        let isForAny = scattered(number, 2) % 100 < 5
        let places = isForAny ? seeded.tenants.count : min(Self.busyTenants, seeded.tenants.count)
        return Int(scattered(number, 3) % UInt64(places))
    }

    /// Returns a pseudorandom number, always the same for the same number and purpose (SplitMix64).
    private func scattered(_ number: Int, _ purpose: UInt64) -> UInt64 {
        var z = (UInt64(number) &* 8 &+ purpose) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
