import Crypto
import Encoding
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Get logo")
struct GetLogoTests {
    @Test("everybody gets the image with its type, for a year, and nothing in it can run")
    func serves() async throws {
        try await TestPlatform.run { platform in
            for (image, type) in [(Array(Pictures.square.utf8), "image/svg+xml"), (Pictures.PNG().bytes, "image/png")] {
                let set = try await platform.setLogo(image, as: type)
                let answer = try await platform.send("GET", set.logoPath)
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == type)
                #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox")
                let digest = SHA256.hash(data: answer.bytes).hexadecimal
                #expect((set.json["logo"] as? [String: any Sendable])?["sha256"] as? String == digest)
                #expect(set.logoPath == "/t/acme/logo/\(digest.prefix(32))")

                let tag = try #require(answer.headers["etag"])
                for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let unchanged = try await platform.send("GET", set.logoPath, headers: [("If-None-Match", known)])
                    #expect(unchanged.status == 304 && unchanged.bytes.isEmpty && unchanged.headers["etag"] == tag)
                }
                #expect(try await platform.send("GET", set.logoPath, headers: [("If-None-Match", "\"x\"")]).status == 200)
                let head = try await platform.send("HEAD", set.logoPath)
                #expect(head.status == 200 && head.bytes.isEmpty)
            }
        }
    }

    @Test("another hash, an earlier one, and another tenant's are not found, and cost no read of an image")
    func unknown() async throws {
        try await TestPlatform.run { platform in
            let first = try await platform.setLogo(svg: Pictures.square)
            let second = try await platform.setLogo(svg: Pictures.svg(#"<circle r="5"/>"#))
            let hash = second.logoPath.suffix(32)
            // A read of an image is now an error.
            try await platform.forbidImages()
            for path in [
                first.logoPath, "/t/acme/logo/\(String(repeating: "0", count: 32))", "/t/acme/logo/\(hash.uppercased())",
                "/t/acme/logo/\(hash)0", "/t/acme/logo/\(hash.dropLast())", "/t/acme/logo/%25", "/t/acme/logo/\(hash)%2F",
                "/t/globex/logo/\(hash)", "/t/nobody/logo/\(hash)",
            ] {
                #expect(try await platform.send("GET", path).status == 404, "\(path)")
            }
            #expect(try await platform.send("GET", second.logoPath).status == 500)
        }
    }

    @Test("an image that was sent before is sent again without the database")
    func cached() async throws {
        try await TestPlatform.run { platform in
            let set = try await platform.setLogo(svg: Pictures.square)
            let first = try await platform.send("GET", set.logoPath)
            try await platform.forbidImages()
            let second = try await platform.send("GET", set.logoPath)
            #expect(second.status == 200 && second.bytes == first.bytes)
        }
    }

    @Test("a suspended tenant's logo is served, for the page that its users see, and a deleted tenant's is not")
    func suspended() async throws {
        try await TestPlatform.run { platform in
            let set = try await platform.setLogo(svg: Pictures.square)
            #expect(try await platform.call("POST", "/tenants/acme/suspend").status == 200)
            #expect(try await platform.send("GET", set.logoPath).status == 200)
            #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
            #expect(try await platform.send("GET", set.logoPath).status == 404)
        }
    }

    @Test("another server gets the new logo within a moment")
    func otherServer() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { other in
                let first = try await platform.setLogo(svg: Pictures.square)
                try await eventually("the other server has the logo") {
                    try await platform.send("GET", first.logoPath, at: other.address).status == 200
                }
                let second = try await platform.setLogo(Pictures.PNG().bytes)
                try await eventually("the other server has the new logo") {
                    try await platform.send("GET", second.logoPath, at: other.address).status == 200
                }
                #expect(try await platform.send("GET", first.logoPath, at: other.address).status == 404)
            }
        }
    }

    @Test("failed requests are charged to the address, and known logos still work")
    func limits() async throws {
        try await TestPlatform.run {
            // Two failures per minute.
            $0.apiRequestsPerMinute = 20
        } _: { platform in
            let set = try await platform.setLogo(svg: Pictures.square)
            let started = ContinuousClock.now
            var statuses: [Int] = []
            for number in 0..<4 { statuses.append(try await platform.send("GET", "/t/acme/logo/\(number)").status) }
            let good = try await platform.send("GET", set.logoPath)
            // The limit returns one request per half a minute.
            guard started.duration(to: .now) < .seconds(30) else { return }
            #expect(statuses == [404, 404, 429, 429])
            #expect(good.status == 200)
        }
    }
}

extension TestPlatform {
    /// Takes the permission to read the bytes of logos from the server, and leaves everything else.
    fileprivate func forbidImages() async throws {
        _ = try await ownerPool.run([
            "REVOKE SELECT ON logo FROM espalier_server",
            "GRANT SELECT (tenant_id, media_type, digest, size) ON logo TO espalier_server",
        ])
    }
}
