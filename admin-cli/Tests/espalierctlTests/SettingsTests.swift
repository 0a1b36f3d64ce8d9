import Foundation
import Testing

@Suite("address, API key and tenant")
struct SettingsTests {
    /// A person with a home folder, profiles, a project and two servers.
    private final class Person: Sendable {
        let folder: TemporaryFolder
        let one: StubServer
        let two: StubServer

        init() throws {
            folder = try TemporaryFolder()
            one = try StubServer(answering: .init(body: Examples.list()))
            two = try StubServer(answering: .init(body: Examples.list()))
        }

        deinit {
            one.stop()
            two.stop()
        }

        func profiles(_ text: String, mode: Int = 0o600) throws {
            try folder.file("home/.config/espalierctl/config.json", text, mode: mode)
        }

        /// Profiles `default`, at the first server, and `staging`, at the second.
        func twoProfiles() throws {
            try profiles(
                """
                {"profiles":{"default":{"base_url":"\(one.baseURL)","api_key":"esk_test_one","tenant":"acme"},
                "staging":{"base_url":"\(two.baseURL)","api_key":"esk_test_two","tenant":"globex"}}}
                """)
        }

        func run(_ arguments: [String] = ["users", "list"], _ environment: [String: String] = [:], below: String = "work") async throws
            -> Run
        {
            let place = folder.url.appending(path: below)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            return try await Run(
                arguments: arguments, environment: ["HOME": folder.path("home")].merging(environment) { $1 }, folder: place)
        }
    }

    private func asked(_ server: StubServer) -> String? {
        server.received.last.map { "\($0.path) \($0.header("Authorization") ?? "")" }
    }

    @Test("a profile contains the address, the key and the tenant")
    func profile() async throws {
        let person = try Person()
        try person.twoProfiles()
        let run = try await person.run()
        #expect(run.status == 0, "\(run.messages)")
        #expect(asked(person.one) == "/v1/tenants/acme/users Bearer esk_test_one")
    }

    @Test("the environment overrides the current profile, and a flag overrides the environment")
    func precedence() async throws {
        let person = try Person()
        try person.twoProfiles()
        let environment = ["ESPALIER_BASE_URL": person.two.baseURL, "ESPALIER_API_KEY": "esk_test_env", "ESPALIER_TENANT": "initech"]
        _ = try await person.run(["users", "list"], environment)
        #expect(asked(person.two) == "/v1/tenants/initech/users Bearer esk_test_env")

        _ = try await person.run(["users", "list", "--tenant", "hooli", "--base-url", person.one.baseURL], environment)
        #expect(asked(person.one) == "/v1/tenants/hooli/users Bearer esk_test_env")

        _ = try await person.run(["users", "list", "--profile", "default"], environment)
        #expect(asked(person.one) == "/v1/tenants/acme/users Bearer esk_test_one")
    }

    @Test("a flag, the environment, the project or config use selects the profile, in this order")
    func choice() async throws {
        let person = try Person()
        try person.twoProfiles()
        try person.folder.file("work/.espalierctl.json", #"{"profile":"staging"}"#)
        _ = try await person.run()
        #expect(asked(person.two) == "/v1/tenants/globex/users Bearer esk_test_two")
        _ = try await person.run(["users", "list"], ["ESPALIER_PROFILE": "default"])
        #expect(asked(person.one) == "/v1/tenants/acme/users Bearer esk_test_one")
        let run = try await person.run(["users", "list", "--profile", "staging", "--tenant", "flagged"], ["ESPALIER_PROFILE": "default"])
        #expect(run.status == 0)
        #expect(asked(person.two) == "/v1/tenants/flagged/users Bearer esk_test_two")
    }

    @Test("a project file above the working directory can name the tenant")
    func project() async throws {
        let person = try Person()
        try person.twoProfiles()
        try person.folder.file("work/.espalierctl.json", #"{"tenant":"initech"}"#)
        _ = try await person.run(below: "work/deep/down")
        #expect(asked(person.one) == "/v1/tenants/initech/users Bearer esk_test_one")
    }

    @Test("a project file cannot set the address for the key", arguments: ["base_url", "api_key", "api_key_file", "profiles"])
    func hostileProject(member: String) async throws {
        let person = try Person()
        try person.twoProfiles()
        try person.folder.file("work/.espalierctl.json", #"{"\#(member)":"\#(person.two.baseURL)"}"#)
        let run = try await person.run(["users", "list"], ["ESPALIER_API_KEY": "esk_test_env"])
        #expect(run.status == 2)
        #expect(run.messages.contains(member))
        #expect(person.one.received.isEmpty && person.two.received.isEmpty)
    }

    @Test("a key without a profile is not sent to an address that a project file chose")
    func environmentKeyAndProject() async throws {
        let person = try Person()
        try person.twoProfiles()
        try person.folder.file("work/.espalierctl.json", #"{"profile":"staging"}"#)
        let run = try await person.run(["users", "list"], ["ESPALIER_API_KEY": "esk_test_env"])
        #expect(run.status == 2)
        #expect(person.two.received.isEmpty)
        #expect(!run.messages.contains("esk_test_env"))
        let file = try person.folder.file("key", "esk_test_file")
        #expect(try await person.run(["users", "list", "--api-key-file", file]).status == 2)
        #expect(person.two.received.isEmpty)
        // If the person sets the address, the project file does not decide.
        _ = try await person.run(["users", "list"], ["ESPALIER_API_KEY": "esk_test_env", "ESPALIER_BASE_URL": person.one.baseURL])
        #expect(asked(person.one) == "/v1/tenants/globex/users Bearer esk_test_env")
    }

    @Test("a profile's key is sent only to the profile's address")
    func boundKey() async throws {
        let person = try Person()
        try person.twoProfiles()
        let run = try await person.run(["users", "list", "--base-url", person.two.baseURL])
        #expect(run.status == 2)
        #expect(person.two.received.isEmpty)
        #expect(!run.messages.contains("esk_test_one"))
    }

    @Test("a configuration that other users can read is rejected")
    func mode() async throws {
        let person = try Person()
        try person.profiles(#"{"profiles":{"default":{"base_url":"\#(person.one.baseURL)","api_key":"esk_test_one"}}}"#, mode: 0o640)
        let run = try await person.run(["users", "list", "--tenant", "acme"])
        #expect(run.status == 2)
        #expect(run.messages.contains("chmod 600"))
        #expect(person.one.received.isEmpty)
    }

    @Test("a missing profile is an invalid command line", arguments: ["--profile", "environment", "project"])
    func missing(where place: String) async throws {
        let person = try Person()
        try person.twoProfiles()
        if place == "project" { try person.folder.file("work/.espalierctl.json", #"{"profile":"nowhere"}"#) }
        let run = try await person.run(
            ["users", "list"] + (place == "--profile" ? ["--profile", "nowhere"] : []),
            place == "environment" ? ["ESPALIER_PROFILE": "nowhere"] : [:])
        #expect(run.status == 2)
        #expect(run.messages.contains("The profile nowhere"))
    }

    @Test("XDG_CONFIG_HOME moves the configuration")
    func xdg() async throws {
        let person = try Person()
        try person.folder.file(
            "xdg/espalierctl/config.json", #"{"profiles":{"default":{"base_url":"\#(person.one.baseURL)","api_key":"esk_test_xdg"}}}"#)
        _ = try await person.run(["users", "list", "--tenant", "acme"], ["XDG_CONFIG_HOME": person.folder.path("xdg")])
        #expect(asked(person.one) == "/v1/tenants/acme/users Bearer esk_test_xdg")
    }

    @Test("without a tenant, the error names the setting")
    func noTenant() async throws {
        let run = try await Run("users", "list", "--base-url", "https://id.example.com", environment: ["ESPALIER_API_KEY": Run.exampleKey])
        #expect(run.status == 2)
        #expect(run.messages.contains("ESPALIER_TENANT"))
    }

    @Test("a tenant from the environment cannot change the path")
    func hostileTenant() async throws {
        let person = try Person()
        try person.twoProfiles()
        let run = try await person.run(["users", "list"], ["ESPALIER_TENANT": "../platform"])
        #expect(run.status == 2)
        #expect(person.one.received.isEmpty)
    }
}
