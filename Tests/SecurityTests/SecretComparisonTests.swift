import Foundation
import NIOHTTP1
import Postgres
import Sealing
import Server
import TestSupport
import Testing

/// The duration of a comparison reveals nothing about a secret (RFC 6819, section 5.1.4.1.3; ASVS 11.2.4). The structure proves it:
/// keyed digests are compared, which nobody can choose, by a function that reads every byte. Wall time would prove nothing on a busy
/// machine.
@Suite("Attack: timing of secret comparison")
struct SecretComparisonTests {
    @Test("the comparison finds differences at any position and in any number")
    func everyByte() {
        let secret = (0..<64).map { UInt8($0) &* 37 }
        #expect(constantTimeEqual(secret, secret))
        #expect(constantTimeEqual([], []))
        for at in secret.indices {
            for bit in 0..<8 {
                var other = secret
                other[at] ^= 1 << UInt8(bit)
                #expect(!constantTimeEqual(secret, other))
                // A second difference does not cancel the first.
                other[secret.count - 1 - at] ^= 1 << UInt8(bit)
                #expect(!constantTimeEqual(secret, other))
            }
        }
        #expect(!constantTimeEqual(secret, Array(secret.dropLast())))
        #expect(!constantTimeEqual(secret, secret + [0]))
        #expect(Secret(bytes: secret) == Secret(bytes: secret) && Secret(bytes: secret) != Secret("x"))
    }

    @Test("the database contains no secret, so none can be searched there character by character")
    func digests() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.signedIn(request)
            let secrets =
                platform.seeded.tenants.flatMap { $0.api_keys.map(\.secret) + $0.applications.compactMap(\.client_secret) }
                + platform.seeded.api_keys.map(\.secret) + [tokens.accessToken, tokens.refreshToken, tokens.idToken]
            let tables = try await platform.ownerPool.run(
                "SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
            ).map { try $0.get("name", as: String.self) }
            #expect(tables.contains("api_key") && tables.contains("application_secret") && tables.contains("session"))
            for table in tables {
                let rows = try await platform.ownerPool.run(SQL(unsafe: "SELECT t::text AS row FROM \"\(table)\" t"))
                    .map { try $0.get("row", as: String.self) }
                for secret in secrets {
                    // As text, and in the format of `bytea`.
                    let hex = secret.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                    #expect(!rows.contains { $0.contains(secret) || $0.contains(hex) }, "\(table)")
                }
            }
        }
    }

    @Test("no line of the server compares a secret with `==`")
    func sources() throws {
        let names = "(?:[sS]ecret|[dD]igest|[mM]ac|[sS]ignature|[pP]assword|[vV]erifier|[hH]ash|[cC]andidate)"
        let value = #"(?:[A-Za-z_][A-Za-z_.]*\.)?[A-Za-z_]*\#(names)(?:es|s)?(?:\([^)]*\)|\[[^\]]*\])?"#
        let comparison = try Regex("(?:\(value) (?:==|!=) (?!nil|\\.)|(?:==|!=) \(value)(?![A-Za-z(.]))")
        // Comparisons of public values: a URI that is also in the request, the audit trail's chain, which its reader already has, a
        // statement's digest, which is on the statement and which an operator's command compares with the ledger, a logo's digest, whose
        // start is in its URL, the ID of a user who was found by an address, and the digest of a host that passkeys belong to.
        let allowed = [
            "redirectURIHash == Self.hash(redirectURI)", "event.computedHash != event.hash", "event.previousHash != lastHash",
            "ledger.digest != digest", "current.logo?.digest != logo.digest", "found?.digest == row.get(\"digest\"",
            "waiting.candidate == user", "ticket.requester.user == waiting.candidate", "data.rpIDHash == idHash",
        ]
        var files = 0
        for file in try Self.sourceFiles() {
            files += 1
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.split(separator: "\n")
            where (line.contains("== ") || line.contains("!= ")) && line.firstMatch(of: comparison) != nil {
                let code = line.trimmingCharacters(in: .whitespaces)
                if code.hasPrefix("//") || allowed.contains(where: code.contains) { continue }
                Issue.record("\(file.lastPathComponent): \(code)")
            }
        }
        #expect(files > 100)
        // The check would find it.
        for line in ["guard digest == stored", "if presented != application.secret {", "keyring.mac(x) == y", "a == Self.hash(b)"] {
            #expect(line.firstMatch(of: comparison) != nil, "\(line)")
        }
        for line in ["secret == nil", "kind == .secret", "hashes.count == 1"] { #expect(line.firstMatch(of: comparison) == nil, "\(line)") }
    }

    /// The sources that run as the server, without the simulator, which has no secrets, and the tools.
    private static func sourceFiles() throws -> [URL] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardizedFileURL
        return try [
            "APIs", "Access", "Accounts", "Apple", "AuthKit", "Billing", "BrowserSessions", "ClientKeys", "Delivery", "Devices", "Encoding",
            "Ledger", "Mail", "Mushu", "People", "PeopleSSO", "PeopleSignIn", "Terminal",
            "AppleButton", "Branding",
            "Factors", "Outbox", "Passkeys",
            "Registration", "Sealing", "Server", "Sessions",
            "SignIn", "Signing", "Sinks", "Tenancy", "Users", "Web",
        ].flatMap { target in
            try FileManager.default.subpathsOfDirectory(atPath: sources.appending(path: target).path).filter { $0.hasSuffix(".swift") }
                .map { sources.appending(path: target).appending(path: $0) }
        }
    }
}
