import EmbeddedPostgres
import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// `espalier serve` as a process, with production settings.
@Suite("Serve")
struct ServeTests {
    @Test("after SIGTERM, a login that waits for Apple finishes, no new connection is accepted, and the exit code is 0")
    func gracefulShutdown() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let (browser, request) = (place.browser, TestBrowser.Request(platform.acme))
        let form = try await browser.atApple(try await browser.authorize(request), person: "new")

        try await platform.simulator.fault(
            ["endpoint": "token", "fault": "slow", "milliseconds": 3000, "client_id": platform.own.servicesID])
        async let callback = browser.callback(form)
        try await eventually("Apple has been asked") { try await platform.simulator.hasMet(platform.own.servicesID) }
        server.signal(SIGTERM)
        try await eventually("nobody listens") { !FreePorts.isListening(place.port) }

        let back = try await callback
        #expect(back.status == 303)
        let code = try #require(back["code"])
        #expect(back["state"] == request.state)
        let exit = try await server.exit()
        #expect(exit.code == 0)
        #expect(exit.complaints == [])

        // Its tokens are valid at the next process.
        let next = try await platform.serve(at: place)
        let tokens = try await browser.redeem(code, request)
        #expect(tokens.status == 200)
        next.signal(SIGTERM)
        #expect(try await next.exit().code == 0)
    }

    @Test("it starts with retired Apple keys, and the next signing keys sign from their time")
    func keysOverTime() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let owner = try TestDatabase.pool(platform.ownerURL)
        func published() async throws -> [String] {
            let keys = try await place.browser.get("\(platform.acme.issuer)/oauth2/jwks").json["keys"] as? [[String: String]]
            return keys?.compactMap { $0["kid"] } ?? []
        }
        let first = try await platform.serve(at: place)
        let before = try await published()
        first.signal(SIGTERM)
        #expect(try await first.exit().code == 0)
        _ = try await owner.run([
            // The remains of a retired key.
            "UPDATE apple_key SET state = 'retired', sealed_pem = ''",
            """
            UPDATE signing_key SET created_at = created_at - interval '91 days', activated_at = activated_at - interval '91 days'
            """,
        ])
        let second = try await platform.serve(at: place)
        try await eventually("the next key signs") { try await published().first == before[1] }
        #expect(try await published().last == before[0])
        second.signal(SIGTERM)
        let exit = try await second.exit()
        #expect(exit.code == 0)
        #expect(exit.complaints == [])
    }

    @Test("a second signal stops it before it finishes")
    func impatientShutdown() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let (browser, request) = (place.browser, TestBrowser.Request(platform.acme))
        let form = try await browser.atApple(try await browser.authorize(request), person: "new")
        try await platform.simulator.fault(
            ["endpoint": "token", "fault": "slow", "milliseconds": 60_000, "client_id": platform.own.servicesID])
        let callback = Task { try await browser.callback(form) }
        try await eventually("Apple has been asked") { try await platform.simulator.hasMet(platform.own.servicesID) }
        server.signal(SIGTERM)
        try await eventually("nobody listens") { !FreePorts.isListening(place.port) }
        server.signal(SIGTERM)
        let exit = try await server.exit()
        #expect(exit.code == 1)
        #expect(exit.complaints == ["espalier: Stopped by the second signal, before all requests were finished."])
        if let answer = try? await callback.value { #expect(answer["code"] == nil) }
    }

    @Test("after SIGTERM, the health checks fail, while it still accepts connections and ends each after its response")
    func announcedShutdown() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        // The second signal ends the delay.
        let server = try await platform.serve(at: place, settings: ["ESPALIER_SHUTDOWN_DELAY": "300"])
        let browser = place.browser
        let keys = "\(platform.acme.issuer)/oauth2/jwks"
        #expect(try await browser.get(keys).header("Connection") == nil)
        #expect(try await browser.get("\(place.operations)/healthz").status == 200)
        server.signal(SIGTERM)
        try await eventually("it is not healthy") { try await browser.get("\(place.operations)/healthz").status == 503 }
        #expect(await place.readiness == 503)
        #expect(FreePorts.isListening(place.port))
        // The first is on the connection from before the signal, the others on new ones.
        for _ in 1...3 {
            let answer = try await browser.get(keys)
            #expect((answer.status, answer.header("Connection")) == (200, "close"))
        }
        _ = try await browser.tokens(.init(platform.acme))
        server.signal(SIGTERM)
        let exit = try await server.exit()
        #expect(exit.code == 1)
        #expect(exit.complaints == ["espalier: Stopped by the second signal, before all requests were finished."])
    }

    @Test("after the delay, it stops without a second signal")
    func delayedShutdown() async throws {
        let platform = try await ServedPlatform.make()
        let server = try await platform.serve(at: .init(), settings: ["ESPALIER_SHUTDOWN_DELAY": "1"])
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
    }

    @Test("without requests in progress, SIGINT and SIGTERM end it at once with 0", arguments: [SIGINT, SIGTERM])
    func idleShutdown(signal: Int32) async throws {
        let platform = try await ServedPlatform.make()
        let server = try await platform.serve(at: .init())
        server.signal(signal)
        #expect(try await server.exit().code == 0)
    }

    @Test("a setting comes from the file, and the environment takes precedence")
    func configurationFile() async throws {
        let platform = try await ServedPlatform.make()
        let folder = try TemporaryFolder()
        let place = ServedPlatform.Place()
        let unused = FreePorts.take()
        let file = try folder.write(
            "espalier.json",
            """
            {"espalier": {
                "public": {"url": "\(TestPlatform.publicURL)"},
                "database": {"url": "\(platform.serverURL)"},
                "master": {"keys": ["\(platform.environment["ESPALIER_MASTER_KEYS"]!)"]},
                "apple": {"base": {"url": "\(platform.simulator.url)"}, "issuers": ["https://appleid.apple.com"]},
                "port": \(unused), "operations": {"port": \(place.operationsPort)}, "log": {"level": "error"}, "shutdown": {"delay": 0},
                "pricing": {"page": true}
            }}
            """)
        let server = try await Program.start(
            ["serve"], environment: ["ESPALIER_CONFIG_FILE": file, "ESPALIER_PORT": "\(place.port)"])
        try await platform.ready(place)
        #expect(FreePorts.isFree(unused))
        let tokens = try await place.browser.tokens(.init(platform.globex))
        #expect(tokens["access_token"] is String)
        #expect(try await place.browser.get("\(TestPlatform.publicURL)/pricing").status == 200)
        server.signal(SIGTERM)
        let exit = try await server.exit()
        #expect(exit.code == 0)
        #expect(exit.errors == "")
    }

    @Test("the logs are JSON lines with the request's facts and none of its secrets")
    func logs() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let request = TestBrowser.Request(platform.acme)
        let browser = place.browser
        let back = try await browser.signIn(request, person: "Ada Lovelace")
        let code = try #require(back["code"])
        let tokens = try await browser.redeem(code, request).json
        server.signal(SIGTERM)
        let errors = try await server.exit().errors

        var actions: [String] = []
        for line in errors.split(separator: "\n") {
            let fields = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
            #expect(fields["time"] != nil && fields["level"] != nil && fields["message"] != nil)
            if let action = fields["action"] {
                actions.append(action)
                #expect(fields["tenant"] == "acme")
                #expect(fields["request_id"] != nil)
                #expect(fields["outcome"] == "ok")
            }
        }
        #expect(actions.count == 3, "authorize, callback, token: \(actions)")
        let secrets = [
            code, request.state, request.nonce, request.verifier, request.application.client_secret!, "Ada", "Lovelace",
            tokens["access_token"] as? String, tokens["refresh_token"] as? String, tokens["id_token"] as? String,
            platform.environment["ESPALIER_MASTER_KEYS"],
        ]
        for secret in secrets { #expect(!errors.contains(try #require(secret))) }
    }

    @Test("the metrics show the login funnel by outcome")
    func metrics() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let request = TestBrowser.Request(platform.acme)
        let browser = place.browser
        let tokens = try await browser.tokens(request)
        _ = try await browser.refresh(try #require(tokens["refresh_token"] as? String), request)
        _ = try await browser.signIn(request, person: "cancel")

        let metrics = try await browser.get("\(place.operations)/metrics")
        #expect(metrics.status == 200)
        #expect(metrics.headers.first(name: "Content-Type")?.hasPrefix("text/plain; version=0.0.4") == true)
        let lines = Set(metrics.body.split(separator: "\n").map(String.init))
        for (step, outcome, count) in [
            ("authorize", "ok", 2), ("callback", "ok", 1), ("callback", "cancelled", 1), ("token", "ok", 1), ("refresh", "ok", 1),
        ] {
            #expect(lines.contains("espalier_logins_total{step=\"\(step)\",outcome=\"\(outcome)\"} \(count)"), "\(metrics.body)")
        }
        // The operations port is not public.
        for path in ["metrics", "healthz", "readyz"] { #expect(try await browser.get("\(TestPlatform.publicURL)/\(path)").status == 404) }
        server.signal(SIGTERM)
        _ = try await server.exit()
    }

    @Test("without its database it stays alive, reports that it is not ready, and recovers automatically")
    func readiness() async throws {
        // Committed data must survive the crash of the server process. The machine does not crash, so fsync is off.
        let cluster = try await TestCluster.own(settings: ["fsync": "off"])
        let platform = try await ServedPlatform.make(in: cluster)
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let browser = place.browser

        try await cluster.crash()
        let unready = try await browser.get("\(place.operations)/readyz")
        #expect(unready.status == 503)
        #expect(unready.body == "the database is not reachable\n")
        #expect(try await browser.get("\(place.operations)/healthz").status == 200)

        try await cluster.start()
        try await eventually("it is ready again") { await place.readiness == 200 }
        #expect(try await place.browser.tokens(.init(platform.acme))["access_token"] is String)
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
        try await cluster.stop()
    }

    @Test("without its database, it serves the keys and the metadata of a known tenant, and decides nothing with old data")
    func publicDocuments() async throws {
        let cluster = try await TestCluster.own(settings: ["fsync": "off"])
        let platform = try await ServedPlatform.make(in: cluster)
        let place = ServedPlatform.Place()
        let (browser, issuer) = (place.browser, platform.acme.issuer)
        let documents = ["\(issuer)/oauth2/jwks", "\(issuer)/.well-known/openid-configuration"]
        // The first request creates the tenant's keys. The notification of this change would empty the cache later.
        let first = try await platform.serve(at: place)
        #expect(try await browser.get(documents[0]).status == 200)
        first.signal(SIGTERM)
        #expect(try await first.exit().code == 0)
        let server = try await platform.serve(at: place)
        var before: [String] = []
        for document in documents {
            let answer = try await browser.get(document)
            #expect((answer.status, answer.header("Cache-Control")) == (200, "public, max-age=300"))
            before.append(answer.body)
        }
        #expect(try await browser.authorize(.init(platform.acme)).status == 302)

        try await cluster.crash()
        // The process learns this from the end of its notifications. If they had not begun yet, its data expires after half a second. The
        // database does not return before all of this has been answered.
        for (document, body) in zip(documents, before) {
            try await eventually("old data") { try await browser.get(document).header("Cache-Control") == "public, max-age=60" }
            let answer = try await browser.get(document)
            #expect((answer.status, answer.body) == (200, body))
        }
        // Nobody knows whether the application still exists and has this redirect URI.
        try await eventually("no sign-in starts") { try await browser.authorize(.init(platform.acme)).status == 503 }
        // A tenant that nobody asked for before.
        #expect(try await browser.get("\(platform.globex.issuer)/oauth2/jwks").status == 503)

        try await cluster.start()
        try await eventually("it is ready again") { await place.readiness == 200 }
        for document in documents {
            try await eventually("current data") { try await browser.get(document).header("Cache-Control") == "public, max-age=300" }
        }
        #expect(try await browser.authorize(.init(platform.acme)).status == 302)
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
        try await cluster.stop()
    }

    @Test("every process uses a change in the database long before its cache expires")
    func usesChanges() async throws {
        let platform = try await ServedPlatform.make()
        let places = [ServedPlatform.Place(), ServedPlatform.Place()]
        let servers = [try await platform.serve(at: places[0]), try await platform.serve(at: places[1])]
        var request = TestBrowser.Request(platform.acme)
        request.redirectURI = "https://app.test/other"
        // Both have cached the old configuration.
        for place in places { #expect(try await place.browser.authorize(request).status == 400) }

        // As the server's own role in a platform statement, the way of every change.
        let pool = try TestDatabase.pool(platform.serverURL)
        let uris = [TestPlatform.redirectURI, request.redirectURI]
        _ = try await pool.transaction { db in
            _ = try await db.run("SELECT set_config('espalier.tenant', 'platform', true)")
            _ = try await db.run("UPDATE application SET redirect_uris = \(uris)")
        }
        for place in places {
            try await eventually("the change is in use") { [request] in
                try await place.browser.authorize(request).status == 302
            }
        }
        for server in servers {
            server.signal(SIGTERM)
            #expect(try await server.exit().code == 0)
        }
    }
}

extension TestSimulator {
    /// Returns whether a fault that names this client has affected a request.
    fileprivate func hasMet(_ client: String) async throws -> Bool {
        struct Faults: Decodable {
            struct Fault: Decodable {
                let client_id: String?
                let met: Int
            }
            let faults: [Fault]
        }
        let faults = try JSONDecoder().decode(Faults.self, from: try await send(.GET, "/simulator/faults", [:]))
        return faults.faults.contains { $0.client_id == client && $0.met > 0 }
    }
}
