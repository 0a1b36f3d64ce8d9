import Apple
import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing
import Web

/// A tenant whose Apple is slow does not delay another tenant.
@Suite("Apple's calls, by tenant")
struct AppleIsolationTests {
    @Test("while Apple hangs for one tenant, another tenant's logins continue at once; later the first tenant's continue, too")
    func hanging() async throws {
        try await AppleProxy.run({
            // Nothing in this test ends by a timeout.
            $0.apple.concurrency = 12
            ($0.apple.timeout, $0.apple.patience) = (.seconds(600), .seconds(600))
        }) { platform, apple in
            let (acme, globex) = (TestBrowser.Request(platform.acme), TestBrowser.Request(platform.globex))
            apple.hold(platform.own.servicesID)
            try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { logins in
                // This is fewer than the connections that test browsers share, so some are left for Globex.
                for _ in 0..<6 { logins.addTask { try await TestBrowser(platform).signIn(acme) } }
                try await eventually("Acme uses all of its slots") {
                    apple.held == 4 && platform.installation.apple.load.waiting == 2
                }
                let before = platform.installation.apple.load
                for _ in 0..<4 { _ = try await TestBrowser(platform).tokens(globex) }
                // All of Acme's calls still wait for Apple. Globex's calls did not wait for a slot.
                #expect(apple.held == 4)
                #expect(platform.installation.apple.load == before)
                apple.release()
                for try await answer in logins { #expect(answer["code"] != nil) }
            }
            #expect(platform.installation.apple.load.calls == 0)
        }
    }

    @Test("a login without a slot is refused with its own outcome, and its name is saved; the same applies to a native login")
    func refused() async throws {
        try await AppleProxy.run({
            $0.apple.concurrency = 4
            ($0.apple.timeout, $0.apple.patience) = (.seconds(600), .zero)
        }) { platform, apple in
            let phone = try await Phone.make(platform)
            let request = TestBrowser.Request(platform.acme)
            apple.hold(platform.own.servicesID)
            try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { logins in
                for _ in 0..<2 { logins.addTask { try await TestBrowser(platform).signIn(request) } }
                try await eventually("Acme uses all of its slots") { apple.held == 2 }
                let answer = try await TestBrowser(platform).signIn(request, person: "Grace Hopper")
                #expect(answer.reports(request, "temporarily_unavailable"))
                #expect(answer["error_description"] == "Too many sign-ins wait for Apple. Try again in a few seconds.")
                #expect(platform.installation.metrics.text.contains(#"espalier_logins_total{step="callback",outcome="apple_busy"} 1"#))
                #expect(try await platform.count("tenant_user", where: "given_name = 'Grace'") == 1)
                let native = try await phone.send(try await phone.authorize().body)
                #expect(native.string("error") == "temporarily_unavailable")
                #expect(platform.installation.metrics.text.contains(#"espalier_logins_total{step="native",outcome="apple_busy"} 1"#))
                #expect(apple.calls("/auth/token") == 2)
                // The other tenant has free slots.
                _ = try await TestBrowser(platform).tokens(.init(platform.globex))
                apple.release()
                for try await answer in logins { #expect(answer["code"] != nil) }
            }
        }
    }

    @Test("a form without an id_token, or with an invalid one, is refused, and the outcome names the rule")
    func outcomes() async throws {
        try await AppleProxy.run { platform, apple async throws in
            func outcome(_ change: (inout TestBrowser.AppleForm) -> Void) async throws -> String {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                var form = try await browser.atApple(try await browser.authorize(request), person: "new")
                change(&form)
                let before = Set(platform.installation.metrics.text.split(separator: "\n"))
                #expect(try await browser.callback(form).reports(request, "server_error"))
                let new = platform.installation.metrics.text.split(separator: "\n").first {
                    !before.contains($0) && $0.hasPrefix(#"espalier_logins_total{step="callback""#)
                }
                return new.flatMap { $0.firstMatch(of: /outcome="([^"]*)"/) }.map { String($0.1) } ?? ""
            }
            #expect(try await outcome { $0["id_token"] = nil } == "id_token_missing")
            #expect(try await outcome { $0["id_token"] = "x" } == "form_id_token_malformed")
            #expect(try await outcome { $0["id_token"] = $0["id_token"].map { $0.dropLast(8) + "AAAAAAAA" } } == "form_id_token_signature")
            #expect(try await outcome { $0["code"] = String(repeating: "c", count: 2049) } == "code_too_long")
            #expect(apple.calls("/auth/token") == 0)
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("the code of one person with the id_token of another person in one attempt is refused")
    func twoPeople() async throws {
        try await AppleProxy.run { platform, _ in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let toApple = try await browser.authorize(request)
            let (grace, alan) = (
                try await browser.atApple(toApple, person: "Grace Hopper"), try await browser.atApple(toApple, person: "Alan Turing")
            )
            var mixed = grace
            mixed["code"] = alan["code"]
            #expect(try await browser.callback(mixed).reports(request, "server_error"))
            #expect(platform.installation.metrics.text.contains(#"outcome="other_users_code""#))
            #expect(try await platform.count("session") == 0)
        }
    }
}
