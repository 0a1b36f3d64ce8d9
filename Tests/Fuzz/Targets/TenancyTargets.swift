@testable import Access
@testable import ClientKeys
@testable import Delivery
import Encoding
import Foundation
import Fuzzing
import Hummingbird
@testable import Tenancy
import Web

extension FuzzTarget {
    static let tenancy: [FuzzTarget] = [
        FuzzTarget(
            text: "id", seeds: ["tenant_01ab3d1v3q0000000000000000", "tenant_7zzzzzzzzzzzzzzzzzzzzzzzzz", "tenant_8", "app_01ab3d1v3q"]
        ) { text in
            guard let id = ID<Tenant>(text) else { return }
            try hold(id.description.isExactly(text), "an id has two spellings")
        },
        FuzzTarget(
            text: "redirect-uri",
            seeds: [
                "https://app.example.com/callback?x=%20", "http://127.0.0.1:4711/cb", "http://[::1]:1/cb", "http://localhost/cb",
                "com.example.app:/cb", "https://user@app.test/", "https://app.test/#x", "javascript:alert(1)", "http://127.0.0.1:99999/cb",
                "http://127.0.0.1@evil.test/", "https://\u{212A}.test/", "https://*.preview.test:8443/cb",
                "https://a-1.preview.test:8443/cb",
                "myapp:/cb",
            ]
        ) { text in
            if RedirectURI.refusal(of: text) == nil {
                try hold(text.isOneWord && text.utf8.count <= 2000, "\(text.debugDescription) can be registered")
                try hold(!text.contains("#") && !text.contains("\\"), "\(text) can be registered")
                if !RedirectURI.isPrivateUse(text) {
                    let parts = URLComponents(string: text)
                    // The browser rejects an invalid port.
                    try hold(parts != nil || text.contains(":"), "\(text) can be registered and is not a URL")
                    try hold(parts?.user == nil && parts?.password == nil, "\(text) names a user")
                    try hold(parts?.scheme == "https" || parts?.host.map(RedirectURI.isLoopback) ?? true, "\(text) is used unencrypted")
                    if let origin = RedirectURI.origin(of: text) {
                        try hold(origin.isOneWord && origin == origin.lowercased(), "\(origin) is not an origin")
                        try hold(RedirectURI.origin(of: origin) == origin, "\(origin) has an origin of its own")
                    }
                }
            }
            let wildcard = "https://*.preview.test:8443/cb"
            if DevelopmentURI.isSameExceptLabel(wildcard, text) {
                try hold(RedirectURI.refusal(of: text) == nil && !text.contains("*"), "\(text) is accepted and cannot be registered")
                let host = URLComponents(string: text)?.host?.split(separator: ".", omittingEmptySubsequences: false) ?? []
                try hold(host.count == 3 && host.dropFirst() == ["preview", "test"], "\(text) is accepted as \(wildcard)")
                try hold(text.hasSuffix(".preview.test:8443/cb"), "\(text) is accepted as \(wildcard)")
            }
            for registered in ["http://127.0.0.1/cb", "http://[::1]:8000/cb?x=1", "http://localhost/cb"]
            where RedirectURI.isSameLoopback(registered, text, allowsName: true) {
                let port = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:[0-9]{1,5})?/
                let rest = { (uri: String) in uri.replacing(port, maxReplacements: 1) { "http://\($0.1)" } }
                try hold(rest(registered).isExactly(rest(text)), "\(text) is accepted as \(registered)")
                try hold(URLComponents(string: text)?.port.map { (1...65535).contains($0) } ?? true, "\(text) has no such port")
            }
        },
        FuzzTarget(
            text: "public-key",
            seeds: [
                #"{"kty":"EC","kid":"1","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
                #"{"kty":"RSA","n":"AQAB","e":"AQAB","alg":"PS256"}"#, #"{"kty":"EC","d":"x"}"#, #"{"kty":"oct","k":"x"}"#, "[]",
            ]
        ) { text in
            guard let value = try? JSONValue(json: Array(text.utf8)), let key = try? PublicKey(value) else { return }
            let shown = Array(try JSONEncoder().encode(key))
            try hold(PublicKey(JSONValue(json: shown)) == key, "a key changes")
            guard case .object(let members) = value else { return try hold(false, "\(text) is a key") }
            try hold(["d", "p", "q", "dp", "dq", "qi", "oth", "k"].allSatisfy { members[$0] == nil }, "a private key is read")
        },
        FuzzTarget(
            text: "client-assertion",
            seeds: [
                "a.b.c", "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJhIiwic3ViIjoiYSIsImF1ZCI6ImIiLCJleHAiOjEwLCJqdGkiOiJ4In0.AAAA",
                "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJhIn0.AA",
            ]
        ) { text in
            let now = Date(timeIntervalSince1970: 0)
            guard let assertion = try? ClientAssertion(text, of: "a", for: ["b"], at: now) else { return }
            try hold(ClientAssertion.client(of: text)?.isExactly("a") == true, "\(text) names another application")
            try hold(
                assertion.expiresAt > now.addingTimeInterval(-61) && assertion.expiresAt < now.addingTimeInterval(3661),
                "\(text) never ends")
            try hold(!assertion.id.isEmpty, "\(text) has no ID")
        },
        FuzzTarget(
            text: "api-key",
            seeds: [
                key, "esk_test_" + key.dropFirst(9), "esk_live_", String(key.dropLast()) + "\u{212A}", String(key.reversed()),
            ]
        ) { text in
            guard APIKey.isWellFormed(text) else { return }
            try hold(text.isExactly(key), "a text that is not a key is looked up")
        },
        FuzzTarget("base62", bytes: [[0, 0, 0, 0], [255, 255, 255, 255], [1]]) { bytes in
            let value = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
            let text = Base62.encode(value, digits: 6)
            try hold(text.count == 6, "it has \(text.count) digits")
            try hold(text.reduce(0) { $0 * 62 + digits.firstIndex(of: $1)! } == Int(value), "\(value) is written as \(text)")
        },
        FuzzTarget(
            text: "public-address",
            seeds: [
                "192.0.2.1", "8.8.8.8", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "1.1.1.1\0.evil.test", "010.0.0.1", "::",
            ]
        ) { text in
            guard let bytes = PublicAddress.bytes(of: text) else { return }
            try hold(text.isOneWord, "\(text.debugDescription) is accepted as an address")
            try hold(bytes.count == 4 || bytes.count == 16, "it has \(bytes.count) bytes")
            guard bytes.count == 4 else { return }
            let isPublic = PublicAddress.isPublic(bytes)
            for mapped in [[UInt8](repeating: 0, count: 10) + [255, 255], [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)] {
                try hold(PublicAddress.isPublic(mapped + bytes) == isPublic, "\(text) has another result as an IPv6 address")
            }
            let sixToFour = [0x20, 0x02] + bytes + [UInt8](repeating: 0, count: 10)
            try hold(PublicAddress.isPublic(sixToFour) == isPublic, "\(text) has another result as a 6to4 address")
        },
        FuzzTarget(
            text: "webhook-url",
            seeds: [
                "https://hooks.example.com/espalier?x=%20", "https://hooks.example.com:65535/", "https://127.0.0.1/", "https://a.b.c1",
                "https://user:secret@hooks.example.com/", "https://hooks.example.com:0/", "https://hoo\u{212A}s.example.com/",
            ]
        ) { text in
            guard WebhookURL.refusal(of: text, allowsPrivate: false) == nil else { return }
            try hold(text.isOneWord, "\(text.debugDescription) can be registered")
            guard let parts = URLComponents(string: text), let host = parts.host else { return try hold(false, "\(text) is not a URL") }
            try hold(parts.scheme == "https" && parts.user == nil && parts.password == nil && parts.fragment == nil, "\(text) passed")
            try hold(parts.port.map { (1...65535).contains($0) } ?? true, "\(text) has no such port")
            try hold(host.contains(".") && PublicAddress.bytes(of: host) == nil, "\(host) is not a name")
            try hold(WebhookURL.refusal(of: text, allowsPrivate: true) == nil, "development is stricter")
        },
        FuzzTarget(
            text: "apple-identifiers", seeds: ["A1B2C3D4E5", "com.example.web", "a1b2c3d4e5", "mail@example.com", "-a.b", "com..x", "é.b"]
        ) { text in
            let isPortalID = AppleIdentifiers.isPortalID(text)
            if isPortalID { try hold(text.isOneWord && text.utf8.count == 10, "\(text) is accepted as a Team ID") }
            if AppleIdentifiers.isReverseDomain(text) {
                try hold(text.isOneWord && text.utf8.count <= 255 && text.contains("."), "\(text) is accepted as a Services ID")
                try hold(!isPortalID, "\(text) is accepted as both")
                try hold(BundleID.refusal(of: text) == nil, "\(text) is a bundle ID of a connection, but of no application")
            }
            if AppleIdentifiers.refusal(ofEmailSource: text) == nil { try hold(text.isOneWord, "\(text) is accepted as a sender") }
            _ = AppleIdentifiers.refusal(ofTeamID: text, servicesID: text, keyID: text)
            _ = AppleIdentifiers.refusal(ofKeyID: text, teamID: text)
        },
        FuzzTarget(text: "slug", seeds: ["acme", "a-b", "-a", "a-", "\u{212A}", String(repeating: "a", count: 64)]) { text in
            guard Tenant.isSlug(text) else { return }
            try hold(text.isOneWord && text.utf8.count <= 63 && text == text.lowercased(), "\(text) passed")
        },
        FuzzTarget(text: "audit-head", seeds: ["17:" + String(repeating: "9f", count: 32), "0:", "017:00"]) { text in
            guard let head = AuditTrail.Head(text) else { return }
            try hold(head.description.isExactly(text.lowercased()), "\(text) is read as \(head)")
        },
        FuzzTarget(text: "audit-mark", seeds: ["tenant_01ab3d1v3q", "rotateAppleKey", "a b", "\u{212A}ey", "", "e\u{301}", "%65"]) { text in
            guard let mark = try? Query("actor=\(Form.encode(text))", ["actor"]).mark("actor") else { return }
            try hold(mark.isExactly(text) && mark.isOneWord && mark.utf8.count <= 100, "\(mark.debugDescription) is searched for")
        },
    ]

    private static let key: String = {
        let body = "esk_live_" + String(repeating: "K", count: 30)
        return body + Base62.encode(CRC32.checksum(body.utf8), digits: 6)
    }()

    static func bearerToken(_ request: Request) -> String? {
        request.bearerToken
    }
}
