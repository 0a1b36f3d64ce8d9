import Access
import Foundation
import Pages
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Update branding")
struct UpdateBrandingTests {
    private static let path = "/tenants/acme/branding"

    @Test("absent members do not change, null resets, and a change without effect leaves no audit event")
    func changes() async throws {
        try await TestPlatform.run { platform in
            let all: [String: any Sendable] = [
                "display_name": "Acme Shop", "color": "#0a7d5c", "support_url": "mailto:help@acme.example",
                "privacy_url": "https://acme.example/privacy#users", "terms_url": "https://acme.example/terms", "default_language": "de",
            ]
            let set = try await platform.call("PATCH", Self.path, all)
            #expect(set.status == 200, "\(set.body)")
            for (name, value) in all { #expect(set.string(name) == value as? String) }
            #expect(set.string("text_color") == "#ffffff" && (set.json["warnings"] as? [Any])?.isEmpty == true)

            let again = try await platform.call("PATCH", Self.path, ["color": "#0A7D5C", "display_name": "Acme Shop"])
            #expect(again.header("ETag") == set.header("ETag"))
            #expect(try await platform.auditTrail(of: "updateBranding").count == 1)

            // The same characters for a person, and other bytes.
            for name in ["Caf\u{E9}", "Cafe\u{301}"] {
                let changed = try await platform.call("PATCH", Self.path, ["display_name": name])
                #expect(changed.string("display_name")?.utf8.elementsEqual(name.utf8) == true)
            }
            #expect(try await platform.auditTrail(of: "updateBranding").count == 3)
            let reset = try await platform.call("PATCH", Self.path, all.mapValues { _ in NSNull() as any Sendable })
            #expect(Set(reset.json.keys) == ["object", "warnings", "created_at", "updated_at"], "\(reset.body)")
        }
    }

    private static let invalid: [(String, String)] = [
        ("display_name", ""), ("display_name", "a\nb"), ("display_name", String(repeating: "a", count: 201)),
        ("display_name", "Acme\u{202E}"), ("display_name", "A\u{200B}cme"), ("display_name", "  "), ("display_name", "\u{A0}\u{3000}"),
        ("display_name", "\u{2800}"), ("color", "red"),
        ("color", "#fff"), ("color", "#0a7d5c80"), ("color", "#0a7d5\u{FF43}"), ("color", "#-a7d5c"), ("color", "#+a7d5c"),
        ("support_url", "help@acme.example"),
        ("support_url", "http://acme.example"), ("support_url", "javascript:alert(1)"),
        ("support_url", "mailto:a@b.test?bcc=c@d.test"), ("support_url", "mailto:a@b.test,c@d.test"), ("support_url", "tel:112"),
        ("support_url", "mailto:"), ("privacy_url", "mailto:a@b.test"), ("privacy_url", "https://"),
        ("privacy_url", "https://user@acme.example/"),
        ("terms_url", "https://acme.example/\u{200B}"), ("terms_url", "https://acme.example/\"onclick=x"),
        ("terms_url", "//acme.example"), ("default_language", "xx"), ("default_language", "DE"), ("logo", "https://acme.example/a.png"),
    ]

    @Test("an invalid value is refused, with the field")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            for (name, value) in Self.invalid {
                let answer = try await platform.call("PATCH", Self.path, [name: value])
                #expect(answer.status == 400 && answer.refuses(name), "\(name) \(value): \(answer.body)")
            }
        }
    }

    @Test("a color without contrast to a page is accepted with a warning that names the mode")
    func contrast() async throws {
        try await TestPlatform.run { platform in
            for (color, text, mode) in [("#ffe600", "#000000", "light"), ("#101060", "#ffffff", "dark"), ("#0a7d5c", "#ffffff", nil)] {
                let answer = try await platform.call("PATCH", Self.path, ["color": color])
                #expect(answer.string("text_color") == text)
                let warnings = answer.json["warnings"] as? [[String: any Sendable]] ?? []
                #expect(warnings.count == (mode == nil ? 0 : 1), "\(answer.body)")
                #expect(
                    warnings.first.map { $0["field"] as? String == "color" && ($0["detail"] as? String)?.contains(mode ?? "?") == true }
                        ?? true)
            }
        }
    }

    @Test("the configuration of the tenant has the look at once, and another server within a moment")
    func configuration() async throws {
        try await TestPlatform.run { platform in
            let other = platform.installation.directory
            #expect(try await platform.configuration(of: platform.acme).brand == Brand(name: "Acme"))
            #expect(try await other.find(slug: "acme")?.brand == Brand(name: "Acme"))
            _ = try await platform.call(
                "PATCH", Self.path,
                [
                    "display_name": "Acme Shop", "color": "#0a7d5c", "support_url": "https://acme.example/help",
                    "default_language": "zh-Hant",
                ])
            let logo = try await platform.setLogo(svg: Pictures.square)
            let brand = Brand(
                name: "Acme Shop", logo: logo.logoPath, color: Color(hex: "#0a7d5c"), supportURL: "https://acme.example/help",
                language: .traditionalChinese)
            #expect(try await other.find(slug: "acme")?.brand == brand)
            #expect(try await other.find(slug: "globex")?.brand == Brand(name: "Globex"))
            // Past the API: only the trigger tells the server.
            _ = try await platform.ownerPool.run("UPDATE branding SET display_name = NULL")
            try await eventually("the server knows the change") { try await other.find(slug: "acme")?.brand.name == "Acme" }
        }
    }

    @Test("two first changes at the same time both take effect")
    func concurrent() async throws {
        try await TestPlatform.run { platform in
            async let name = platform.call("PATCH", Self.path, ["display_name": "Acme Shop"])
            async let color = platform.call("PATCH", Self.path, ["color": "#0a7d5c"])
            let statuses = try await [name.status, color.status]
            #expect(statuses == [200, 200])
            let both = try await platform.call("GET", Self.path)
            #expect(both.string("display_name") == "Acme Shop" && both.string("color") == "#0a7d5c")
        }
    }

    @Test("the audit trail has the branding before and after the change")
    func audit() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.call("PATCH", Self.path, ["color": "#0a7d5c"])
            _ = try await platform.call("PATCH", Self.path, ["color": "#ffe600"])
            let row = try #require(
                try await platform.ownerPool.run(
                    "SELECT before::text AS b, after::text AS a FROM audit_event WHERE action = 'updateBranding' ORDER BY sequence DESC"
                ).first { (try $0.get("b", as: String.self), try $0.get("a", as: String.self)) })
            #expect(row.0.contains("#0a7d5c") && row.1.contains("#ffe600"))
        }
    }
}
