import Foundation
import Testing

@testable import DemoApplication

@Suite("documentation")
struct ShowDocumentationTests {
    /// A small site, next to files that it must not show.
    private final class Site: Sendable {
        let root: URL
        let documentation: Documentation

        init() throws {
            root = FileManager.default.temporaryDirectory.appending(path: "espalier-site-\(UUID())")
            documentation = Documentation(
                folder: root.appending(path: "site").path, specification: root.appending(path: "openapi.yaml").path)
            for (name, text) in [
                ("site/index.html", "first page"), ("site/problems/not_found/index.html", "the problem"), ("site/app.min.js", "script"),
                ("site/style.css", "style"), ("site/logo.svg", "logo"), ("site/search/index.json", "words"), ("site/a b.txt", "blank"),
                ("site/a+b.txt", "plus"), ("site/empty/other.html", "other"), ("site/LICENSE", "license"), ("site/.hidden", "SECRET"),
                ("site/.git/index.html", "SECRET"), ("secret.txt", "SECRET"), ("index.html", "SECRET"), ("site-2/index.html", "SECRET"),
                ("openapi.yaml", "openapi: 3.1.0"),
            ] {
                let file = root.appending(path: name)
                try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
            for (name, target) in [("link.txt", "../secret.txt"), ("link", "../site-2"), ("inside.txt", "app.min.js")] {
                try FileManager.default.createSymbolicLink(
                    atPath: root.appending(path: "site/\(name)").path, withDestinationPath: target)
            }
        }

        deinit { try? FileManager.default.removeItem(at: root) }
    }

    @Test(
        "a file has its content type, and a folder shows its index.html",
        arguments: [
            ("/docs/", "first page", "text/html; charset=utf-8"), ("/docs/index.html", "first page", "text/html; charset=utf-8"),
            ("/docs/problems/not_found/", "the problem", "text/html; charset=utf-8"),
            ("/docs/problems/not%5Ffound/?x=1", "the problem", "text/html; charset=utf-8"),
            ("/docs/app.min.js", "script", "text/javascript; charset=utf-8"), ("/docs/style.css", "style", "text/css; charset=utf-8"),
            ("/docs/logo.svg", "logo", "image/svg+xml"), ("/docs/search/index.json", "words", "application/json"),
            ("/docs/a%20b.txt", "blank", "text/plain; charset=utf-8"), ("/docs/a+b.txt", "plus", "text/plain; charset=utf-8"),
            ("/docs/LICENSE", "license", "application/octet-stream"), ("/docs/inside.txt", "script", "text/javascript; charset=utf-8"),
            ("/openapi.yaml", "openapi: 3.1.0", "application/yaml"),
        ])
    func file(path: String, text: String, type: String) async throws {
        let site = try Site()
        try await withDemo(documentation: site.documentation) { demo in
            let page = try await demo.browser.get(path)
            #expect(page.status == 200)
            #expect(page.text == text)
            #expect(page.header("Content-Type") == type)
            #expect(page.header("X-Content-Type-Options") == "nosniff")
            #expect(page.header("Cache-Control") == "no-store")
        }
    }

    @Test(
        "a folder without a slash leads to the folder",
        arguments: [
            ("/docs", "/docs/"), ("/docs?q=a", "/docs/?q=a"), ("/docs/problems/not_found", "/docs/problems/not_found/"),
            ("/docs/problems/not_found?a=b&c", "/docs/problems/not_found/?a=b&c"),
        ])
    func redirect(path: String, location: String) async throws {
        let site = try Site()
        try await withDemo(documentation: site.documentation) { demo in
            let page = try await demo.browser.get(path)
            #expect(page.status == 307)
            #expect(page.location == location)
        }
    }

    /// Each leads out of the folder, to a hidden file, or nowhere.
    private static let outside = [
        "/../secret.txt", "/%2e%2e/secret.txt", "/%2E%2E/secret.txt", "/.%2e/secret.txt", "/%2e./secret.txt", "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt", "/problems/../../secret.txt", "/problems/%2e%2e/%2e%2e/secret.txt", "/problems%2f..%2f..%2fsecret.txt",
        "/..%5csecret.txt", "/%5c..%5csecret.txt", "/%252e%252e/secret.txt", "/%2e%2e", "/%2e%2e/", "/..", "/../", "/./index.html",
        "/%2e/index.html", "//index.html", "/problems//not_found/", "/../site-2/", "/%2e%2e/site-2", "/link.txt", "/link", "/link/",
        "/link/index.html", "/.hidden", "/%2ehidden", "/.git/", "/.git/index.html", "/index.html%00", "/index.html%00.txt", "/%00",
        "/index.html/", "/index.html/x", "/index.html%2f", "/empty", "/empty/", "/nothing", "/nothing/", "/%", "/%zz",
        "/index.html%0d%0aX:%20y", "//example.com/", "/\(String(repeating: "a", count: 5000))",
    ]

    @Test("no path leads out of the folder", arguments: outside)
    func traversal(path: String) async throws {
        let site = try Site()
        try await withDemo(documentation: site.documentation) { demo in
            let page = try await demo.browser.get("/docs\(path)")
            #expect(page.status == 404)
            #expect(page.text.contains("Page not found"))
            #expect(!page.text.contains("SECRET"))
        }
    }

    /// The HTTP client of the tests changes some of these paths. A `Character` combines each mark with the dot or slash before it.
    @Test(
        "raw bytes lead nowhere",
        arguments: outside + [
            "/%ff", "/%c0%ae%c0%ae/secret.txt", "/..\u{0600}/secret.txt", "/../\u{0301}/secret.txt", "/\u{0301}../secret.txt", "x",
        ])
    func raw(path: String) throws {
        #expect(try Site().documentation.entry(at: path) == nil)
    }

    @Test("a missing site gets the command that builds it, and appears without a restart")
    func missing() async throws {
        let site = try Site()
        let (folder, other) = (site.root.appending(path: "site"), site.root.appending(path: "other"))
        try FileManager.default.moveItem(at: folder, to: other)
        try await withDemo(documentation: site.documentation) { demo in
            for path in ["/docs", "/docs/", "/docs/problems/not_found/"] {
                let page = try await demo.browser.get(path)
                #expect(page.status == 404)
                #expect(page.text.contains("The documentation is not built"))
                #expect(page.text.contains("Run script/docs in the project’s folder."))
            }
            try FileManager.default.moveItem(at: other, to: folder)
            #expect(try await demo.browser.get("/docs/").text == "first page")
        }
    }

    @Test("a missing specification gets a page with its path")
    func missingSpecification() async throws {
        try await withDemo { demo in
            let page = try await demo.browser.get("/openapi.yaml")
            #expect(page.status == 404)
            #expect(page.text.contains("The file /nonexistent/openapi.yaml is not readable."))
        }
    }

    @Test("the first page links to both")
    func links() async throws {
        try await withDemo { demo in
            let page = try await demo.browser.get("/")
            #expect(page.text.contains(#"<a href="/docs/">"#) && page.text.contains(#"<a href="/openapi.yaml">"#))
        }
    }
}
