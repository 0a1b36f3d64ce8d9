import Foundation
import TestSupport
import Testing

/// `espalier-dev dev` as a process: from an empty folder to tokens and usage, and a stop that leaves no process.
@Suite("Dev")
struct DevTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func start(port: Int, _ more: [String] = [], environment: [String: String] = [:]) async throws -> Program {
        let dev = try await Program.start(
            ["dev", "--directory", folder.path, "--port", "\(port)"] + more, of: Program.espalierDev, environment: environment,
            ownGroup: true)
        try await dev.says("Espalier is running")
        return dev
    }

    private func devFile() throws -> DevFile {
        try JSONDecoder().decode(DevFile.self, from: try folder.read("dev.json"))
    }

    /// Returns the process of the PostgreSQL server in the folder.
    private func postmaster() throws -> Int32 {
        let file = String(decoding: try folder.read("postgres/data/postmaster.pid"), as: UTF8.self)
        return try #require(file.split(separator: "\n").first.flatMap { Int32($0) })
    }

    private func isAlive(_ process: Int32) -> Bool {
        kill(process, 0) == 0
    }

    @Test("a program with dev.json signs in at each tenant; Ctrl-C ends everything, and a second start uses the same data")
    func story() async throws {
        let port = FreePorts.take(4)
        let dev = try await start(port: port, ["--documentation", "\(folder.path)/site"])
        let file = try devFile()
        #expect(file.base_url == "http://localhost:\(port)")
        #expect(file.operations_url == "http://localhost:\(port + 1)")
        #expect(file.simulator_url == "http://localhost:\(port + 2)")
        #expect(file.demo_url == "http://localhost:\(port + 3)")
        try expectFields()

        for (tenant, connection) in zip(file.tenants, ["own", "shared"]) {
            #expect(tenant.connection == connection)
            #expect(tenant.issuer == "\(file.base_url)/t/\(tenant.slug)")
            #expect(try await file.logins(of: tenant) == 0)
            let tokens = try await file.browser.tokens(tenant.request, person: "new")
            let access = try #require(tokens["access_token"] as? String)
            let user = try await file.browser.get("\(tenant.issuer)/oauth2/userinfo", headers: [("Authorization", "Bearer \(access)")])
            #expect(user.json["name"] is String)
            #expect(try await file.logins(of: tenant) == 1)
            #expect(try await file.logins(of: tenant, key: file.platform_api_key) == 1)
        }
        let demo = try await file.browser.get(file.demo_url)
        #expect(demo.status == 200)
        #expect(demo.body.contains("Acme") && demo.body.contains("Globex"))
        try await expectApplications(of: file)
        try await expectDocumentation(of: file, said: dev.talk)
        try await expectMail(of: file, said: dev.talk)
        try await expectPeopleWithApple(of: file)
        #expect(try await file.browser.get("\(file.operations_url)/readyz").status == 200)

        // A second process is rejected, with the same port or another one, and does no harm.
        let sameFolder = try await Program.run(
            ["dev", "--directory", folder.path, "--port", "\(FreePorts.take(4))"], of: Program.espalierDev)
        #expect(sameFolder.code == 1)
        #expect(sameFolder.complaints.count == 1)
        #expect(sameFolder.errors.contains("is in use by another process"), "\(sameFolder.errors)")
        let samePort = try await Program.run(
            ["dev", "--directory", try TemporaryFolder().path, "--port", "\(port)"], of: Program.espalierDev)
        #expect(samePort.code == 1)
        #expect(samePort.complaints == ["espalier-dev: Port \(port) is in use. Choose other ports: --port is the first of four in a row."])
        #expect(try await file.logins(of: file.tenants[0]) == 1)

        let postgres = try postmaster()
        #expect(isAlive(postgres))
        dev.interruptGroup()
        let exit = try await dev.exit()
        #expect(exit.code == 0)
        #expect(exit.complaints == [])
        #expect(!isAlive(postgres))
        for port in port..<port + 4 { #expect(FreePorts.isFree(port)) }

        try await secondStart(after: file)
    }

    @Test("a tenant onboarded with espalierctl gets a complete test login, which is counted")
    func onboarded() async throws {
        let port = FreePorts.take(4)
        let dev = try await start(port: port)
        let file = try devFile()
        let environment = ["ESPALIER_BASE_URL": file.base_url, "ESPALIER_API_KEY": file.platform_api_key]
        let secret = folder.path + "/shop.secret"
        let onboarding = try await Program.run(
            [
                "tenants", "onboard", "initech", "--name", "Initech", "--application-name", "Shop", "--application-kind", "web",
                "--redirect-uri", "\(file.demo_url)/callback/initech", "--connection", "shared", "--secret-file", secret, "--no-input",
                "--json",
            ], of: Program.espalierctl, environment: environment)
        #expect(onboarding.code == 0, "\(onboarding.errors)")
        let result = try #require(try JSONSerialization.jsonObject(with: Data(onboarding.output.utf8)) as? [String: Any])
        let application = try #require((result["application"] as? [String: Any])?["id"] as? String)

        // A person reads the address, and pastes another one minutes later. The command waits for it at a pipe.
        let pipe = folder.path + "/address"
        #expect(mkfifo(pipe, 0o600) == 0)
        let test = try await Program.start(
            [
                "-c", #"exec "$0" applications test-login "$1" --tenant initech --secret-file "$2" <"$3""#,
                Program.espalierctl.path(percentEncoded: false), application, secret, pipe,
            ], of: URL(filePath: "/bin/sh"), environment: environment)
        let handle = try FileHandle(forWritingTo: URL(filePath: pipe))
        // The last parameter of the address, and the end of the line.
        try await test.says("code_challenge_method=S256\n")
        let url = try #require(test.talk.split(separator: "\n").first { $0.contains("/oauth2/authorize?") })
        let browser = file.browser
        let form = try await browser.atApple(try await browser.get(String(url)), person: "new")
        let arrival = try await browser.post(form.action, form: form.fields)
        let address = try #require(arrival.location)
        #expect(address.hasPrefix("\(file.demo_url)/callback/initech?"))
        let page = try await browser.get(address)
        #expect(page.status == 404)
        #expect(page.body.contains("If espalierctl asks for an address, copy the address of this page."))
        try handle.write(contentsOf: Data("\(address)\n".utf8))
        let exit = try await test.exit()
        #expect(exit.code == 0, "\(exit.errors)")
        #expect(exit.errors.contains("✓ The test login works: user_"))
        #expect(exit.errors.contains("✓ Logins this month: 1."))
        try handle.close()
        dev.signal(SIGTERM)
        #expect(try await dev.exit().code == 0)
    }

    /// Returns the variables after `set -a; . .espalier/dev.env`.
    private func devEnvironment() throws -> [String: String] {
        let lines = String(decoding: try folder.read("dev.env"), as: UTF8.self).split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), String(parts[1].dropFirst().dropLast()))
            })
    }

    /// With other ports, the demo application has another URL than before. In the shell of the commands, `dev.env` names the first
    /// simulator.
    private func secondStart(after first: DevFile) async throws {
        let port = FreePorts.take(4)
        let environment = try devEnvironment()
        #expect(environment["ESPALIER_APPLE_BASE_URL"] == first.simulator_url)
        let dev = try await start(port: port, environment: environment)
        #expect(dev.talk.contains("Apple       http://localhost:\(port + 2)        the simulator"), "\(dev.talk)")
        let file = try devFile()
        #expect(file.base_url == "http://localhost:\(port)")
        #expect(file.platform_api_key == first.platform_api_key)
        #expect(file.tenants.map(\.id) == first.tenants.map(\.id))
        #expect(file.tenants.map(\.api_key) == first.tenants.map(\.api_key))
        #expect(file.tenants.map(\.application.client_id) == first.tenants.map(\.application.client_id))
        #expect(file.tenants.map(\.application.client_secret) == first.tenants.map(\.application.client_secret))
        for tenant in file.tenants {
            #expect(tenant.application.redirect_uri.hasPrefix(file.demo_url + "/"))
            #expect(try await file.logins(of: tenant) == 1)
            _ = try await file.browser.tokens(tenant.request)
            #expect(try await file.logins(of: tenant) == 2)
        }
        try await expectApplications(of: file)
        #expect(try devEnvironment()["ESPALIER_PLATFORM_APPLICATION"] == environment["ESPALIER_PLATFORM_APPLICATION"])
        try await expectPeopleWithApple(of: file)
        dev.signal(SIGTERM)
        #expect(try await dev.exit().code == 0)
    }

    /// Acme has two applications, which work at the demo's addresses. An error page leads back to the one that the request names.
    private func expectApplications(of file: DevFile) async throws {
        let demo = try await file.browser.get(file.demo_url)
        #expect(!demo.body.contains("usage is currently unavailable"), "\(demo.body)")
        for slug in ["acme", "acme-shop", "globex"] {
            #expect(demo.body.contains("href=\"/login/\(slug)\""), "\(demo.body)")
            let start = try await file.browser.get("\(file.demo_url)/login/\(slug)")
            let authorize = try #require(start.location)
            #expect(try await file.browser.get(authorize).location?.hasPrefix(file.simulator_url + "/") == true)
            let elsewhere = authorize.replacing("callback", with: "elsewhere")
            let page = try await file.browser.get(elsewhere)
            #expect(page.status == 400, "\(page.status) \(elsewhere)")
            #expect(page.body.contains("<a class=\"button\" href=\"\(file.demo_url)/login/\(slug)\">"), "\(page.body)")
        }
    }

    /// The site is not built there, so the report names the command that builds it.
    private func expectDocumentation(of file: DevFile, said: String) async throws {
        #expect(said.contains("Docs        \(file.demo_url)/docs/        build them with script/docs\n"), "\(said)")
        #expect(said.contains("API         \(file.demo_url)/openapi.yaml\n"), "\(said)")
        let missing = try await file.browser.get("\(file.demo_url)/docs/")
        #expect(missing.status == 404)
        #expect(missing.body.contains("script/docs"))
        let site = "\(folder.path)/site"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        try folder.write("site/index.html", "The first page.")
        #expect(try await file.browser.get("\(file.demo_url)/docs/").body == "The first page.")
        let specification = try await file.browser.get("\(file.demo_url)/openapi.yaml")
        #expect(specification.status == 200)
        #expect(specification.body == (try String(contentsOf: Program.repository.appending(path: "openapi.yaml"), encoding: .utf8)))
    }

    /// A mail of the server is on the page, and nowhere else.
    private func expectMail(of file: DevFile, said: String) async throws {
        #expect(file.mail_url == "\(file.demo_url)/mail")
        #expect(said.contains("Mail        \(file.mail_url)        "), "\(said)")
        #expect(try await file.browser.get(file.mail_url).body.contains("There is no mail yet."))
        let test = try await file.browser.send(
            "POST", "\(file.base_url)/v1/platform/mail/test",
            headers: [("Authorization", "Bearer \(file.platform_api_key)"), ("Content-Type", "application/json")],
            body: #"{"to": "ada@example.com"}"#)
        #expect(test.json["outcome"] as? String == "sent", "\(test.body)")
        let list = try await file.browser.get(file.mail_url)
        #expect(
            list.body.contains("<a href=\"/mail/1\">Test mail from Espalier</a>") && list.body.contains("ada@example.com"), "\(list.body)")
        #expect(try await file.browser.get("\(file.mail_url)/1").body.contains("An operator sent it to check the mail server."))
        #expect(try await file.browser.get("\(file.mail_url)/2").status == 404)
    }

    /// The button for Apple leads through the platform's own tenant to the simulator, and back to the page of people.
    private func expectPeopleWithApple(of file: DevFile) async throws {
        #expect(try devEnvironment()["ESPALIER_PLATFORM_TENANT"] == "espalier")
        let browser = file.browser
        let page = try await browser.get("\(file.base_url)/account/sign-in")
        let forms = page.body.components(separatedBy: "<form ")
        let form = try #require(forms.first { $0.contains("action=\"/account/apple\"") }, "\(page.body)")
        let fields = form.matches(of: /type="hidden" name="([a-z_]+)" value="([^"]*)"/).map { (String($0.1), String($0.2)) }
        let answer = try await browser.post("\(file.base_url)/account/apple", form: fields)
        let toTenant = String(try #require(answer.header("Refresh"), "\(answer.status) \(answer.body)").dropFirst("0; url=".count))
        #expect(toTenant.hasPrefix("\(file.base_url)/t/espalier/oauth2/authorize?"))
        let back = try await browser.callback(try await browser.atApple(try await browser.get(toTenant), person: "new"))
        let callback = try #require(back.location, "\(back.status) \(back.body)")
        #expect(callback.hasPrefix("\(file.base_url)/account/apple/callback?"), "\(callback)")
        // Nobody has connected this Apple Account.
        #expect(try await browser.get(callback).status == 403)
    }

    /// Programs depend on the names. Only the user may read the secrets.
    private func expectFields() throws {
        let document = try #require(try JSONSerialization.jsonObject(with: try folder.read("dev.json")) as? [String: Any])
        #expect(
            Set(document.keys) == [
                "base_url", "operations_url", "simulator_url", "demo_url", "mail_url", "operator_url", "platform_api_key", "tenants",
            ])
        let tenants = try #require(document["tenants"] as? [[String: Any]])
        #expect(tenants.count == 2)
        for tenant in tenants {
            #expect(Set(tenant.keys) == ["slug", "id", "issuer", "connection", "api_key", "application"])
            let application = try #require(tenant["application"] as? [String: Any])
            #expect(Set(application.keys).union(["client_secret"]) == ["client_id", "client_secret", "redirect_uri"])
        }
        for name in ["dev.json", "demo.json", "master-key"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("kill -9 leaves no PostgreSQL, and the next start finds the data")
    func killed() async throws {
        let port = FreePorts.take(4)
        var dev = try await start(port: port)
        let file = try devFile()
        _ = try await file.browser.tokens(file.tenants[0].request)
        let postgres = try postmaster()
        dev.signal(SIGKILL)
        #expect(try await dev.exit().code == nil)
        try await eventually("PostgreSQL has ended") { !isAlive(postgres) }

        dev = try await start(port: port)
        #expect(try await file.logins(of: file.tenants[0]) == 1)
        dev.signal(SIGTERM)
        #expect(try await dev.exit().code == 0)
    }

    @Test("with --apple-base-url, another simulator is used, which registers the content of apple.json")
    func otherSimulator() async throws {
        let (port, applePort) = (FreePorts.take(4), FreePorts.take())
        let appleURL = "http://127.0.0.1:\(applePort)"
        let dev = try await start(port: port, ["--apple-base-url", appleURL])
        let file = try devFile()
        #expect(file.simulator_url == appleURL)
        #expect(FreePorts.isFree(port + 2))
        let apple = try await Program.start(
            ["simulate-apple", "--port", "\(applePort)", "--registry", "\(folder.path)/apple.json"], of: Program.espalierDev)
        try await eventually("the stand-in listens") { FreePorts.isListening(applePort) }

        for tenant in file.tenants {
            let request = tenant.request
            let toApple = try await file.browser.authorize(request)
            #expect(toApple.location?.hasPrefix(appleURL + "/") == true)
            #expect(try await file.browser.tokens(request)["access_token"] is String)
        }
        // The application ends between the button and the callback and receives the error.
        let (browser, request) = (file.browser, file.tenants[0].request)
        let form = try await browser.atApple(try await browser.authorize(request), person: "new")
        apple.signal(SIGTERM)
        #expect(try await apple.exit().code == 0)
        let back = try await browser.callback(form)
        #expect(back.location?.hasPrefix(request.redirectURI) == true)
        #expect(back["error"] == "temporarily_unavailable")
        #expect(back["state"] == request.state)
        dev.signal(SIGINT)
        #expect(try await dev.exit().code == 0)
    }

    @Test("invalid ports are rejected", arguments: ["0", "65533", "eighty"])
    func impossiblePort(port: String) async throws {
        let exit = try await Program.run(["dev", "--directory", folder.path, "--port", port], of: Program.espalierDev)
        #expect(exit.code == 2)
        #expect(exit.errors.contains("--port"), "\(exit.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("an invalid folder is rejected")
    func impossibleFolder() async throws {
        let file = try folder.write("file", "")
        let exit = try await Program.run(
            ["dev", "--directory", file + "/below", "--port", "\(FreePorts.take(4))"], of: Program.espalierDev)
        #expect(exit.code == 1)
        #expect(exit.complaints == ["espalier-dev: --directory: \(file)/below cannot be created. Choose another folder."])
    }
}
