import Foundation
import Testing

@testable import espalierctl

/// `applications register --for`.
@Suite("an application for a client library")
struct ClientLibraryTests {
    private func register(
        _ arguments: String..., to server: StubServer, uri: String? = "https://shop.example.com/callback"
    ) async throws -> Run {
        let redirect = uri.map { ["--redirect-uri", $0] } ?? []
        return try await Run(
            arguments: ["applications", "register", "--tenant", "acme", "--name", "Shop"] + arguments + redirect,
            environment: Run.environment(for: server))
    }

    private func body(_ server: StubServer) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: Data(try #require(server.received.last).body.utf8))
    }

    @Test("the table in docs/clients.md lists the values that --for sets")
    func table() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let text = try String(contentsOf: root.appending(path: "docs/clients.md"), encoding: .utf8)
        func code(_ text: String?, else other: String) -> String { text.map { "`\($0)`" } ?? other }
        let rows = ClientLibrary.allCases.map { library in
            let cells = [
                library.title, "`\(library.rawValue)`", library.kind.rawValue, library.usesPKCE ? "required" : "exempt",
                library.signingAlgorithm.rawValue, "`\(library.clientAuthentication)`", code(library.redirectPath, else: "your choice"),
                code(library.setting, else: ""),
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        let found = text.split(separator: "\n").map(String.init).filter { line in
            line.hasPrefix("| ") && ClientLibrary.allCases.contains { line.hasPrefix("| \($0.title) | `\($0.rawValue)` |") }
        }
        #expect(found == rows)
    }

    @Test("each library's options are sent", arguments: ClientLibrary.allCases)
    func sent(library: ClientLibrary) async throws {
        let server = try StubServer(answering: .init(status: 201, body: Examples.applicationWithSecret))
        defer { server.stop() }
        let run = try await register("--for", library.rawValue.uppercased(), to: server)
        #expect(run.status == 0, "\(run.messages)")
        let body = try body(server)
        #expect(body["kind"]?.string == library.kind.rawValue)
        #expect(body["signing_algorithm"]?.string == library.signingAlgorithm.rawValue)
        #expect(body["requires_pkce"] == (library.usesPKCE ? nil : .bool(false)))
        #expect(run.messages.contains("docs/clients.md lists the settings of \(library.title)."))
        #expect(run.messages.contains("Compare it with yours.") == (library.redirectPath != nil))
    }

    @Test("flags override --for, and a public application is never exempt from PKCE")
    func overridden() async throws {
        let server = try StubServer(answering: .init(status: 201, body: Examples.applicationWithSecret))
        defer { server.stop() }
        _ = try await register("--for", "social-auth", "--pkce", "--signing-algorithm", "ES256", to: server)
        var body = try body(server)
        #expect(body["kind"] == "web" && body["requires_pkce"] == .bool(true) && body["signing_algorithm"] == "ES256")
        _ = try await register("--for", "social-auth", "--kind", "spa", to: server)
        body = try self.body(server)
        #expect(body["kind"] == "spa" && body["requires_pkce"] == nil && body["signing_algorithm"] == "RS256")
    }

    @Test("a redirect URI with the library's default end gets no warning")
    func redirectURI() async throws {
        for (library, uri, ends) in [
            (ClientLibrary.springSecurity, "https://a.example/login/oauth2/code/espalier", true),
            (.springSecurity, "https://a.example/app/login/oauth2/code/espalier?x=/y", true),
            (.springSecurity, "https://a.example/login/oauth2/code/", false), (.springSecurity, "https://a.example/code/espalier", false),
            (.allauth, "https://a.example/accounts/oidc/espalier/login/callback/", true),
            (.allauth, "https://a.example/accounts/oidc/espalier/login/callback", false),
            (.aspNetCore, "https://a.example/signin-oidc", true), (.aspNetCore, "https://a.example/signin", false),
            (.aspNetCore, "https://signin-oidc", false), (.appAuth, "com.example.app:/oauth2redirect", true),
        ] {
            #expect(library.returns(to: uri) == ends, "\(library): \(uri)")
        }
        let server = try StubServer(answering: .init(status: 201, body: Examples.applicationWithSecret))
        defer { server.stop() }
        let run = try await register("--for", "aspnetcore", to: server, uri: "https://a.example/signin-oidc")
        #expect(!run.messages.contains("Compare") && run.messages.contains(#"Set ResponseType = "code" in ASP.NET Core."#))
    }

    @Test("the error for an unknown library, the help and the completion list all libraries")
    func names() async throws {
        let server = try StubServer(answering: .init(body: Examples.application))
        defer { server.stop() }
        let unknown = try await register("--for", "rails", to: server)
        let help = try await Run("applications", "register", "--help")
        let completion = try await Run("completion", "bash")
        #expect(unknown.status == 2 && server.received.isEmpty)
        for library in ClientLibrary.allCases {
            for text in [unknown.messages, help.output, completion.output] { #expect(text.contains(library.rawValue), "\(library)") }
        }
    }

    @Test("without a kind or a library, or without a redirect URI, the error names the missing option")
    func missing() async throws {
        let server = try StubServer(answering: .init(body: Examples.application))
        defer { server.stop() }
        let kindless = try await register(to: server)
        #expect(kindless.status == 2 && kindless.messages.contains("--kind") && kindless.messages.contains("--for LIBRARY"))
        let nowhere = try await register("--for", "aspnetcore", to: server, uri: nil)
        #expect(nowhere.status == 2 && nowhere.messages.contains("--redirect-uri") && nowhere.messages.contains("/signin-oidc"))
        #expect(server.received.isEmpty)
    }
}
