import Crypto
import Encoding
import Foundation
import Server
import TestSupport
import Testing

@Suite("Set logo")
struct SetLogoTests {
    @Test("a PNG and an SVG are stored, each under an address of its own, and the same image again is not a change")
    func sets() async throws {
        try await TestPlatform.run { platform in
            let svg = try await platform.setLogo(svg: Pictures.square)
            #expect(svg.status == 200, "\(svg.text)")
            let again = try await platform.setLogo(svg: Pictures.square + "<!-- the same picture -->\n")
            #expect(again.headers["etag"] == svg.headers["etag"] && again.bytes == svg.bytes)
            let png = try await platform.setLogo(Pictures.PNG().bytes)
            #expect(png.status == 200, "\(png.text)")
            #expect(png.logoPath != svg.logoPath && png.headers["etag"] != svg.headers["etag"])
            let logo = try #require(png.json["logo"] as? [String: any Sendable])
            #expect(logo["media_type"] as? String == "image/png" && logo["size"] as? Int == Pictures.PNG().bytes.count)
            let trail = try await platform.auditTrail(of: "setLogo")
            #expect(trail.count == 2 && trail.allSatisfy { !$0.text.contains("path") })
        }
    }

    @Test("the body is an image of the named type, up to 256 KiB")
    func bodies() async throws {
        try await TestPlatform.run { platform in
            let png = Pictures.PNG().bytes
            #expect(try await platform.setLogo(png, as: "image/jpeg").status == 415)
            #expect(try await platform.setLogo(png, as: "application/json").status == 415)
            #expect(try await platform.setLogo(png, as: "image/svg+xml").status == 400)
            #expect(try await platform.setLogo(Array(Pictures.square.utf8)).status == 400)
            #expect(try await platform.setLogo([]).status == 400)
            // A comment is dropped, so only the size of the body counts.
            func padded(to size: Int) -> String {
                Pictures.square + "<!--" + String(repeating: " ", count: size - Pictures.square.utf8.count - 7) + "-->"
            }
            #expect(try await platform.setLogo(svg: padded(to: 262_144)).status == 200)
            let large = try await platform.setLogo(svg: padded(to: 262_145))
            #expect(large.status == 413 && large.text.contains("262144"), "\(large.text)")
            // Other operations keep the usual limit.
            let other = try await platform.call("PATCH", "/tenants/acme/branding", ["display_name": String(repeating: "a", count: 70_000)])
            #expect(other.status == 413 && other.body.contains("65536"))
        }
    }

    @Test("a stale version is refused, and a key needs the scope tenants:write")
    func permissions() async throws {
        try await TestPlatform.run { platform in
            let stale = try await platform.setLogo(Pictures.PNG().bytes, headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412)
            #expect(try await platform.setLogo(svg: Pictures.square, key: platform.narrowKey("tenants:read")).status == 403)
            #expect(try await platform.setLogo(svg: Pictures.square, key: platform.acme.api_keys[0].secret).status == 200)
        }
    }

    @Test("a refused image says what to change, and the earlier logo stays")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let first = try await platform.setLogo(svg: Pictures.square)
            let refused = try await platform.setLogo(svg: Pictures.svg("\n<script>alert(1)</script>"))
            #expect(refused.status == 400 && refused.text.contains("<script>") && refused.text.contains("Line 2"), "\(refused.text)")
            #expect(try await platform.call("GET", "/tenants/acme/branding").body == first.text)
        }
    }
}
