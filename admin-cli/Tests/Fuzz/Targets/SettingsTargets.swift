import Foundation
import Fuzzing

@testable import espalierctl

/// Fuzz targets for the environment and for files, including untrusted ones.
extension FuzzTarget {
    static let settings: [FuzzTarget] = [
        FuzzTarget(
            text: "cli-base-url",
            seeds: [
                "https://id.example.com", "https://id.example.com/sub/path/", "http://localhost:8080", "http://127.0.0.1",
                "http://example.com",
                "HTTPS://id.example.com:65536", "https://u:p@id.example.com", "https://id.example.com?", "https://id.example.com#",
                "https://@id.example.com", "http://localhost@evil.test", "http://LOCALHOST", "https://id.ex\u{212A}mple.com", "https:///v1",
                "https://id.example.com\\@evil.test", "https://id.example.com\r\nX: y", "http://localhost%2eevil.test",
                "https://id.example.com:",
                "https://é.test", "https://a b", "http://localhost\u{0}.evil.test",
            ]
        ) { text in
            guard let url = try? Settings.checkedBaseURL(text) else { return }
            let written = url.absoluteString
            try hold(written.isOneWord, "\(written.debugDescription) contains white space")
            let authority = written.split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
            try hold(!written.contains { "?#\\".contains($0) } && !authority.contains("@"), "\(written) has a user, a query or a fragment")
            let isHere = /(?i:http):\/\/(localhost|127\.0\.0\.1)(:[0-9]*)?(\/.*)?/
            try hold(
                written.lowercased().hasPrefix("https://") || written.wholeMatch(of: isHere) != nil,
                "\(written) would receive a key without encryption")
            try hold(url.port.map { (1...65535).contains($0) } ?? true, "the port of \(written) is invalid")
            try hold(try Settings.checkedBaseURL(written) == url, "the address changes when it is parsed again")
            // A call goes to the host of the address.
            let target = try APIClient(baseURL: url, credential: CurrentCredential(.key(APIKey("esk_test_1")))).url(
                of: .get("tenants", ["limit": "1"]))
            // The address in its encoded form, because a host that is not ASCII has another form there.
            let sent = URL(string: written)
            try hold((target.host(), target.port) == (sent?.host(), sent?.port), "a call goes to \(target)")
            try hold(target.path().hasSuffix("/v1/tenants") && target.query() == "limit=1", "a call goes to \(target)")
        },
        FuzzTarget(
            "cli-credentials",
            seeds: [
                #"{"logins":{"https://id.test":"eps_0123456789012345678901234567890123456789012"}}"#, #"{"logins":{}}"#, "{}", "",
                #"{"logins":{"https://id.test":"eps_\u212a"}}"#, #"{"logins":{"a":1}}"#, #"{"logins":{"\u0600":"\u0301"}}"#,
            ]
        ) { bytes in
            do throws(Failure) {
                for (_, text) in try CredentialFile(Data(bytes), "file").logins {
                    guard let token = LoginToken(text) else { continue }
                    guard token.text.isOneWord, token.text.hasPrefix("eps_"), token.text.utf8.count == 47 else { throw .shape() }
                }
            } catch {
                try hold(!error.detail.contains("eps_") && error.detail.contains("is not a file of espalierctl"), "\(error)")
            }
        },
        FuzzTarget(
            "cli-login-server", upTo: 1024,
            seeds: [
                #"""
                {"issuer":"https://id.test/account","authorization_endpoint":"https://id.test/a","token_endpoint":"https://id.test/b",\#
                "device_authorization_endpoint":"https://id.test/c","revocation_endpoint":"https://id.test/d"}
                """#, #"{"issuer":"https://id.test/account\u0301"}"#, #"{"issuer":"https://evil.test/account"}"#, "{}", "[]",
            ]
        ) { bytes in
            guard let json = try? JSONDecoder().decode(JSON.self, from: Data(bytes)),
                let server = try? LoginServer(json, base: "https://id.test")
            else { return }
            try hold(server.issuer.isExactly("https://id.test/account"), "\(server.issuer) passed")
            for endpoint in [
                server.authorizationEndpoint, server.tokenEndpoint, server.deviceAuthorizationEndpoint, server.revocationEndpoint,
            ] {
                try hold(endpoint.isOneWord && endpoint.hasPrefix("https://id.test/"), "\(endpoint.debugDescription) passed")
                try hold(URL(string: endpoint).map { $0.host() == "id.test" } ?? true, "\(endpoint) is elsewhere")
            }
        },
        FuzzTarget(
            text: "cli-api-key",
            seeds: [
                "esk_test_0000", " esk_live_abc\n", "esk_", "esk_a b", "esk_\u{212A}", "-----BEGIN PRIVATE KEY-----", "esk_a\r\nX: y",
                "esk_é",
                "esk_a\u{301}",
            ]
        ) { text in
            do throws(Failure) {
                let key = try APIKey(text).text
                guard key.isOneWord, key.hasPrefix("esk_"), text.contains(key) else { throw .shape() }
                guard try APIKey(key).text == key else { throw .shape() }
            } catch {
                try hold(error != .shape(), "\(text.debugDescription) was accepted as a key")
                try hold(text.utf8.count < 40 || !shows(error, text), "the error shows the key")
            }
        },
        FuzzTarget(
            text: "cli-api-key-hint", seeds: ["00000000000000000000", "", "1", "live_", "live_11111111111111111111111111111111111111"]
        ) {
            text in
            guard let key = try? APIKey("esk_\(text)") else { return }
            // The prefix, and four characters of a long key.
            let parts = key.hint.split(separator: "…", omittingEmptySubsequences: false)
            try hold(parts.count == 2 && ["esk_", "esk_live_", "esk_test_"].contains(parts[0]), "\(key.hint) shows too much")
            try hold(parts[1].utf8.count <= (key.text.utf8.count < 20 ? 0 : 4), "\(key.hint) shows too much")
        },
        FuzzTarget(
            "cli-project-file",
            seeds: [
                #"{"profile": "staging", "tenant": "acme"}"#, #"{"base_url": "https://evil.test"}"#, #"{"profile": null}"#, "{}", "[]",
                #"{"tenant":1}"#,
                #"{"tenant":"a","tenant":"b"}"#, "{\"tenant\":\"a\",\"tenant\":\"\u{1}\"}", #"{"tenant\u0000":"a"}"#,
                #"{"api_key":"esk_test_0000"}"#, "\u{FEFF}{}",
            ]
        ) { bytes in
            guard let file = try? ProjectFile(Data(bytes), "p") else { return }
            let members = try JSONDecoder().decode([String: String].self, from: Data(bytes))
            let read = ["profile": file.profile, "tenant": file.tenant].compactMapValues(\.self)
            try hold(members == read, "the file contains \(members), but the result is \(read)")
            // JSONDecoder ignores the second value of a repeated member. JSONSerialization reads it.
            guard String(decoding: bytes, as: UTF8.self).utf8.count(where: { $0 == UInt8(ascii: ":") }) == members.count else { return }
            try hold((try? JSONSerialization.jsonObject(with: Data(bytes))) is [String: Any], "JSONSerialization rejects the file")
        },
        FuzzTarget(
            "cli-configuration", upTo: 1024,
            seeds: [
                #"{"current_profile":"a","profiles":{"a":{"base_url":"https://id.test","tenant":"acme","api_key":"esk_test_0000"},"":{}}}"#,
                #"{"profiles":{}}"#, #"{"profiles":{"a":{"api_key":1}}}"#, "{}", "[]",
                #"{"profiles":{"a":{"api_key_file":"/k","more":[1]}}}"#,
            ]
        ) { bytes in
            do throws(Failure) {
                let configuration = try UserConfiguration(Data(bytes), "c")
                let again = (try? configuration.encoded).flatMap { try? UserConfiguration($0, "c") }
                guard again == configuration else { throw .shape() }
            } catch {
                try hold(error != .shape(), "the configuration changes when it is parsed again")
                try hold(!"\(error)".contains("esk_test_0000"), "the error shows a key")
            }
        },
    ]
}
