import Encoding
import NIOHTTP1
import Synchronization

/// The operations of browsers and applications: sign in, refresh, read.
final class Load: Sendable {
    /// The tenants with nearly all of the load. The service caches more tenants than this, but not all of 100,000.
    static let busyTenants = 1_000
    private static let people = 5_000

    private let http: LoadClient
    private let service: String
    private let seeded: Seeded
    private let authorization: String
    private let sessionLimit: Int
    private let sessions = Mutex<[Session]>([])

    /// A login's session, as its application stores it.
    private struct Session {
        let tenant: Seeded.Member
        var refreshToken: String
    }

    /// - Parameter sessionLimit: The number of logins whose sessions are stored for refreshes.
    init(_ stage: Stage, sessions sessionLimit: Int, concurrency: Int) {
        (http, service, seeded) = (LoadClient(connections: concurrency), stage.serviceURL, stage.seeded)
        self.sessionLimit = sessionLimit
        authorization = "Bearer \(stage.seeded.apiKey)"
    }

    func forgetSessions() {
        sessions.withLock { $0 = [] }
    }

    // MARK: Login

    /// RFC 7636, appendix B. Neither side notices that it is always the same.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// A complete login: authorize, Apple, callback, token.
    /// - Parameter tenant: The index of the tenant; nil to choose by the distribution.
    func signIn(_ number: Int, on tenant: Int?, _ timings: inout Timings) async throws {
        let tenant = seeded.tenants[tenant ?? place(number)]
        let person = "Person \(scattered(number, 1) % UInt64(Self.people))"
        let refreshToken = try await timings.time("login") { timings in
            let toApple = try await timings.time("login: authorize") { _ in
                try await http.send(
                    .GET,
                    "\(service)/t/\(tenant.slug)/oauth2/authorize?client_id=\(tenant.clientID)&redirect_uri=\(Self.redirectURI)"
                        + "&response_type=code&scope=openid%20profile%20email&state=state-\(number)&nonce=nonce-\(number)"
                        + "&code_challenge=\(Self.challenge)&code_challenge_method=S256",
                    expecting: 302)
            }
            let page = try await timings.time("login: (simulator)") { _ in
                try await http.send(
                    .GET, toApple.location, headers: [("Simulator-Person", person), ("Simulator-Email", "share")], expecting: 200)
            }
            let form = try FormPostPage(html: page.body)
            let back = try await timings.time("login: callback") { _ in
                try await http.send(
                    .POST, service + form.path, headers: [("Cookie", toApple.cookie)], form: form.encodedFields, expecting: 303)
            }
            guard let code = back.query("code") else {
                throw Stage.Failure("the callback returned no code; error: \(back.query("error") ?? "none")")
            }
            return try await timings.time("login: token") { _ in
                try await token(
                    tenant,
                    "grant_type=authorization_code&code=\(code)&redirect_uri=\(Self.redirectURI)&code_verifier=\(Self.verifier)")
            }
        }
        sessions.withLock { sessions in
            if sessions.count < sessionLimit { sessions.append(Session(tenant: tenant, refreshToken: refreshToken)) }
        }
    }

    private static let redirectURI = Form.encode(Seeded.redirectURI)

    // MARK: Refresh

    /// Uses a session's refresh token and stores the next one. A session is used again only after all others.
    func refresh(_ number: Int, _ timings: inout Timings) async throws {
        let (index, session) = sessions.withLock { sessions in (number % sessions.count, sessions[number % sessions.count]) }
        let next = try await timings.time("refresh") { _ in
            try await token(session.tenant, "grant_type=refresh_token&refresh_token=\(session.refreshToken)")
        }
        sessions.withLock { $0[index].refreshToken = next }
    }

    /// - Returns: The refresh token.
    private func token(_ tenant: Seeded.Member, _ grant: String) async throws -> String {
        let answer = try await http.send(
            .POST, "\(service)/t/\(tenant.slug)/oauth2/token",
            form: "\(grant)&client_id=\(tenant.clientID)&client_secret=\(seeded.clientSecret)", expecting: 200)
        return try answer.field("refresh_token")
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
