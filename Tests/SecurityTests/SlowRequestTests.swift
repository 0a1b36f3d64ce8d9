import Foundation
import NIOCore
import Server
import TestSupport
import Testing
import Web

/// Callers that hold a connection as long as possible (CWE-400, CWE-770; RFC 9110, section 17.5; OWASP ASVS 2.4.1).
@Suite("Attack: slow requests and many connections")
struct SlowRequestTests {
    private static let jwks = "GET /t/acme/oauth2/jwks HTTP/1.1\r\nHost: login.test\r\nConnection: close\r\n"
    private static let post =
        "POST /t/acme/oauth2/token HTTP/1.1\r\nHost: login.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"

    @Test("a head that never ends, sent byte by byte, gets 408 and ends the connection", .timeLimit(.minutes(2)))
    func slowHead() async throws {
        try await TestPlatform.run {
            $0.connections.request = .seconds(1)
        } _: { platform in
            let answer = try await RawConnection.drip(Self.jwks + "X-Slow: ", to: platform).answer
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            // Others are still served.
            #expect(try await RawConnection.send(Self.jwks + "\r\n", to: platform).contains("\"keys\""))
        }
    }

    @Test(
        "a body that never ends, sent byte by byte, gets 408 and ends the connection", .timeLimit(.minutes(2)),
        arguments: ["Content-Length: 60000", "Transfer-Encoding: chunked"])
    func slowBody(_ framing: String) async throws {
        try await TestPlatform.run {
            $0.connections.bodyGrace = .seconds(1)
        } _: { platform async throws in
            let byte = framing.hasPrefix("T") ? "1\r\na\r\n" : "a"
            #expect(try await RawConnection.drip(Self.post + framing + "\r\n\r\n", byte, to: platform).answer.hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("a body that never ends is logged and counted once, as 408 of its operation, and is not charged", .timeLimit(.minutes(2)))
    func slowBodies() async throws {
        try await TestPlatform.run {
            $0.connections.bodyGrace = .milliseconds(200)
            $0.connections.lastTime = .milliseconds(100)
            // One failure a minute.
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let json = "Content-Type: application/json\r\n"
            let form = "Content-Type: application/x-www-form-urlencoded\r\n"
            let key = "Authorization: Bearer \(platform.seeded.api_keys[0].secret)\r\n"
            let requests = [
                ("token", "/t/acme/oauth2/token", form), ("authorizeByPost", "/t/acme/oauth2/authorize", form),
                ("userInfoByPost", "/t/acme/oauth2/userinfo", form), ("appleCallback", "/t/acme/auth/apple/callback", form),
                ("sharedAppleCallback", "/auth/apple/callback", json), ("receiveNotification", "/t/acme/auth/apple/notifications", json),
                ("createTenant", "/v1/tenants", json + key), ("createRateCard", "/v1/rate-cards", json + key + "Idempotency-Key: k\r\n"),
            ]
            for (action, path, headers) in requests {
                let head = "POST \(path) HTTP/1.1\r\nHost: login.test\r\n\(headers)Request-Id: mine-\(action)\r\n"
                let answer = try await RawConnection.drip(head + "Content-Length: 60000\r\n\r\n", to: platform).answer
                #expect(answer.hasPrefix("HTTP/1.1 408 ") && answer.contains("request_timeout"), "\(action): \(answer.prefix(40))")
                #expect(answer.contains("mine-\(action)") && answer.contains("Connection: close"), "\(action)")
            }
            let metrics = platform.installation.metrics.text.split(separator: "\n").filter { $0.hasPrefix("espalier_requests_total{") }
            let expected = requests.map { "espalier_requests_total{action=\"\($0.0)\",status=\"408\"} 1" }
            #expect(Set(metrics.map(String.init)) == Set(expected))
            #expect(try await TestBrowser(platform).get("\(TestPlatform.publicURL)/t/nobody/oauth2/jwks").status == 404)
        }
    }

    @Test("a body that is declared too large gets 413 before it arrives, with the operation and the Request-Id", .timeLimit(.minutes(2)))
    func declaredTooLarge() async throws {
        try await TestPlatform.run {
            // No other condition ends the request.
            ($0.connections.request, $0.connections.bodyGrace) = (.hours(1), .hours(1))
        } _: { platform in
            for (length, status) in [("65537", 413), ("99999999999999", 413)] {
                let answer = try await RawConnection.send(
                    Self.post + "Request-Id: mine\r\nContent-Length: \(length)\r\n\r\na", to: platform)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("\"mine\"") && answer.contains("65536 bytes"))
            }
            #expect(platform.installation.metrics.text.contains("espalier_requests_total{action=\"token\",status=\"413\"} 2\n"))
            let largest = try await RawConnection.send(
                Self.post + "Connection: close\r\nContent-Length: 65536\r\n\r\n" + String(repeating: "a", count: 65_536), to: platform)
            #expect(largest.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("a request that the parser cannot read, and HTTP/1.0 with Transfer-Encoding, gets 400, is counted once and ends the connection")
    func unreadable() async throws {
        try await TestPlatform.run { platform in
            let path = "/t/acme/oauth2/jwks"
            let requests = [
                "G@T \(path) HTTP/1.1\r\nHost: login.test\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost login.test\r\n\r\n",
                Self.post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST \(path) HTTP/1.0\r\nHost: login.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET \(path) HTTP/1.1\r\nHost: login.test\r\nCookie: \(String(repeating: "a", count: 90_000))\r\n\r\n",
            ]
            for request in requests {
                let answer = try await RawConnection.send(request + "GET \(path) HTTP/1.1\r\nHost: login.test\r\n\r\n", to: platform)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(request.prefix(80)): \(answer.prefix(40))")
                #expect(answer.contains("application/problem+json") && answer.contains("Connection: close") && !answer.contains("\"keys\""))
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
            }
            let metrics = platform.installation.metrics.text
            #expect(metrics.contains("espalier_requests_total{action=\"none\",status=\"400\"} \(requests.count)\n"))
        }
    }

    @Test("after a 413 the connection ends, and further bytes are not read", .timeLimit(.minutes(2)))
    func afterTooLarge() async throws {
        try await TestPlatform.run { platform in
            let (answer, sent) = try await RawConnection.drip(
                Self.post + "Content-Length: 100000000\r\n\r\n", String(repeating: "a", count: 65536), every: .zero, upTo: 100_000_000,
                to: platform)
            // A caller that never reads may lose the response with the connection.
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 413 "))
            // The system's buffers accept some of it.
            #expect(sent < 50_000_000)
            let polite = try await RawConnection.send(
                Self.post + "Content-Length: 200000\r\n\r\n" + String(repeating: "a", count: 200_000), to: platform)
            #expect(polite.hasPrefix("HTTP/1.1 413 ") && polite.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test("an address has a limited number of connections; the next one is closed without a response", .timeLimit(.minutes(2)))
    func manyConnections() async throws {
        try await TestPlatform.run {
            $0.connections.perAddress = 3
        } _: { platform in
            try await RawConnection.holding(3, to: platform) {
                try await eventually("all are counted") { platform.installation.metrics.connections.count == 3 }
                #expect(try await RawConnection.send(Self.jwks + "\r\n", to: platform) == "")
                #expect(platform.installation.metrics.text.contains("espalier_connections_refused_total{cap=\"address\"} 1"))
            }
            try await eventually("there is room again") {
                try await RawConnection.send(Self.jwks + "\r\n", to: platform).contains("\"keys\"")
            }
        }
    }

    @Test("RFC 9112, 3.2: a request without Host, with two, or with an invalid one gets 400; HTTP/1.0 needs none")
    func hosts() async throws {
        try await TestPlatform.run { platform in
            let path = "/t/acme/oauth2/jwks"
            for hosts in [
                "", "Host: login.test\r\nHost: login.test\r\n", "Host: login.test\r\nhost: evil.test\r\n", "Host: a%0d%0ab\r\n",
                "Host:\r\n",
            ] {
                let answer = try await RawConnection.send("GET \(path) HTTP/1.1\r\n\(hosts)\r\n", to: platform)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(hosts.debugDescription): \(answer.prefix(40))")
                #expect(!answer.contains("\"keys\""))
            }
            #expect(try await RawConnection.send("GET \(path) HTTP/1.0\r\nConnection: close\r\n\r\n", to: platform).contains("\"keys\""))
            let metrics = platform.installation.metrics.text
            #expect(metrics.contains("espalier_requests_total{action=\"none\",status=\"400\"} 5\n"))
        }
    }
}
