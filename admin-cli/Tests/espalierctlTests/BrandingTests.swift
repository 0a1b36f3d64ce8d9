import Foundation
import Testing

@testable import espalierctl

extension RequestTests {
    /// The requests of the commands for the look of a tenant's pages.
    static let branding: [Example] = [
        .init("branding show --tenant acme", "GET /v1/tenants/acme/branding", answer: Examples.branding, shows: "Acme Shop"),
        .init(
            "branding set --tenant acme --display-name Acme --color #ffe600 --support-url mailto:help@acme.example",
            "PATCH /v1/tenants/acme/branding",
            ##"{"color":"#ffe600","display_name":"Acme","support_url":"mailto:help@acme.example"}"##, answer: Examples.branding,
            matchedPath: "/v1/tenants/acme/branding", shows: "warning: In light mode, it is pale."),
        .init(
            "branding set --tenant acme --privacy-url https://acme.example/privacy --terms-url '' --default-language de",
            "PATCH /v1/tenants/acme/branding",
            #"{"default_language":"de","privacy_url":"https://acme.example/privacy","terms_url":null}"#, answer: Examples.branding,
            matchedPath: "/v1/tenants/acme/branding", shows: "https://id.example.com/t/acme/logo/00ff"),
        .init(
            "branding remove-logo --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/branding/logo", answer: "",
            shows: "Removed the logo."),
    ]
}

@Suite("the commands of a branding")
struct BrandingTests {
    private func run(_ arguments: [String], files: [String: Data]) async throws -> (run: Run, received: [StubServer.Request]) {
        let folder = try TemporaryFolder()
        for (name, data) in files { try data.write(to: URL(filePath: folder.path(name))) }
        let server = try StubServer(
            answering: .init(headers: ["Content-Type": "application/json", "ETag": "\"v1\""], body: Examples.branding))
        defer { server.stop() }
        let run = try await Run(
            arguments: ["branding"] + arguments + ["--tenant", "acme"], environment: Run.environment(for: server), folder: folder.url)
        return (run, server.received)
    }

    private static let svg = Data(#"<svg xmlns="http://www.w3.org/2000/svg"/>"#.utf8)
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array("pixels".utf8))

    @Test("a logo is sent as it is, and its bytes decide about its type", arguments: ["image/svg+xml", "image/png"])
    func logo(type: String) async throws {
        // The name of the file says nothing.
        let (run, received) = try await run(["set-logo", "logo"], files: ["logo": type == "image/png" ? Self.png : Self.svg])
        #expect(run.status == 0 && run.output.contains("https://id.example.com/t/acme/logo/00ff"), "\(run.messages)")
        let request = try #require(received.last)
        #expect(request.call == "PUT /v1/tenants/acme/branding/logo")
        #expect(request.header("Content-Type") == type && request.header("If-Match") == "\"v1\"")
        #expect(request.body.contains(type == "image/png" ? "pixels" : "<svg"))
    }

    @Test("a dry run names the file and sends nothing")
    func dryRun() async throws {
        let (run, received) = try await run(["set-logo", "logo.svg", "--dry-run"], files: ["logo.svg": Self.svg])
        #expect(run.status == 0 && run.output.contains("logo.svg") && run.output.contains("image/svg+xml"), "\(run.output)")
        #expect(received.isEmpty)
    }

    @Test(
        "a file that is missing, too large or another one is named, and nothing is sent", arguments: ["none.svg", "large.svg", "text.txt"])
    func refused(name: String) async throws {
        let files = ["large.svg": Data(repeating: UInt8(ascii: "<"), count: 256 * 1024 + 1), "text.txt": Data("logo".utf8)]
        let (run, received) = try await run(["set-logo", name], files: files)
        #expect(run.status == 2 && run.messages.contains(name), "\(run.messages)")
        #expect(received.isEmpty)
    }

    @Test("a change needs an option")
    func nothing() async throws {
        let (run, received) = try await run(["set"], files: [:])
        #expect(run.status == 2 && run.messages.contains("--color"), "\(run.messages)")
        #expect(received.isEmpty)
    }
}
