import Foundation
import Server
import TestSupport
import Testing

@testable import Domains

@Suite("Update domain")
struct UpdateDomainTests {
    @Test("one domain is primary, and only the primary one is exclusive")
    func primary() async throws {
        try await OwnHost.unclaimed { own in
            let (one, two) = (try await own.activate("one.acme.test"), try await own.activate("two.acme.test"))
            #expect(try await own.change(one, ["is_exclusive": true]).problem == "conflict")
            #expect(try await own.change(one, ["is_primary": true, "is_exclusive": true]).status == 200)
            // The old address stays off.
            #expect(try await own.change(two, ["is_primary": true]).json["is_exclusive"] as? Bool == true)
            let first = try await own.get(one)
            #expect(first.json["is_primary"] as? Bool == false && first.json["is_exclusive"] as? Bool == false)
            #expect(try await own.get(two).json["is_primary"] as? Bool == true)
            #expect(try await own.browser().get("\(own.platform.acme.issuer)/oauth2/jwks").status == 404)
            #expect(try await own.platform.auditTrail(of: "updateDomain").map(\.subject) == [one, one, two])
            // The same again leaves no event.
            #expect(try await own.change(two, ["is_primary": true]).status == 200)
            #expect(try await own.platform.auditTrail(of: "updateDomain").count == 3)
            let opened = try await own.change(one, ["is_primary": true, "is_exclusive": false])
            #expect(opened.status == 200 && opened.json["is_exclusive"] as? Bool == false)
            #expect(try await own.browser().get("\(own.platform.acme.issuer)/oauth2/jwks").status == 200)
        }
    }

    @Test("a domain becomes primary or exclusive only if its host leads to this server, unless the check is skipped")
    func reachability() async throws {
        try await WebhookReceiver.run { receiver in
            let port = URL(string: receiver.url)?.port ?? 0
            try await OwnHost.unclaimed({
                $0.allowsPrivateWebhooks = true
                $0.domainFilePort = port
            }) { own in
                let id = try await own.activate(OwnHost.name)
                func change(_ members: [String: any Sendable]) async throws -> TestBrowser.Answer {
                    try await own.platform.call("PATCH", "/tenants/acme/domains/\(id)", members)
                }
                let right = WebhookReceiver.Answer.body(#"{"issuer":"\#(OwnHost.url)","jwks_uri":"x"}"#)
                receiver.answer(right)
                // The host has no address.
                let refused = try await change(["is_primary": true, "is_exclusive": true])
                #expect(refused.problem == "conflict" && refused.body.contains("skip_check"), "\(refused.body)")
                #expect(try await own.get(id).json["is_primary"] as? Bool == false)

                own.resolver.set(address: [127, 0, 0, 1], of: OwnHost.name)
                // Not by requests, because their number is limited.
                let proof = DomainProof(resolvers: own.platform.settings.dnsResolvers, allowsPrivate: true, port: port)
                for answer in [
                    WebhookReceiver.Answer.status(200), .status(404), .body("x"), .body("[]"), .body(#"{"issuer":1}"#),
                    .body(#"{"issuer":"\#(own.platform.acme.issuer)"}"#), .body(#"{"issuer":"\#(OwnHost.url)\#u{301}"}"#),
                    .body(#"{"issuer":"\#(OwnHost.url)/"}"#), .redirect(to: "http://\(OwnHost.name):\(port)/"),
                    .body(String(repeating: " ", count: 70_000) + #"{"issuer":"\#(OwnHost.url)"}"#),
                ] {
                    receiver.answer(answer)
                    #expect(try await !proof.leadsHere(OwnHost.name, issuer: OwnHost.url), "\(answer)")
                }
                let publicOnly = DomainProof(resolvers: own.platform.settings.dnsResolvers, allowsPrivate: false, port: port)
                receiver.answer(right)
                #expect(try await !publicOnly.leadsHere(OwnHost.name, issuer: OwnHost.url))

                #expect(try await change(["is_primary": true]).status == 200)
                #expect(receiver.received.last?.path == "/.well-known/openid-configuration")
                let count = receiver.received.count
                #expect(try await change(["is_exclusive": true]).json["is_exclusive"] as? Bool == true)
                #expect(receiver.received.count == count + 1)
                // Back needs no host, and so does a change without the check.
                #expect(try await change(["is_exclusive": false]).status == 200)
                #expect(try await change(["is_exclusive": true]).status == 429)
                #expect(try await change(["is_exclusive": true, "skip_check": true]).status == 200)
                #expect(receiver.received.count == count + 1)
                #expect(try await change(["skip_check": NSNull()]).refuses("skip_check"))
            }
        }
    }

    @Test("a domain without a proof cannot be primary, and the host cannot change")
    func refuses() async throws {
        try await OwnHost.unclaimed { own in
            let id = try await own.create().resourceID
            #expect(try await own.change(id, ["is_primary": true]).problem == "conflict")
            #expect(try await own.change(id, ["host": "other.acme.test"]).refuses("host"))
            #expect(try await own.change(id, ["state": "active"]).refuses("state"))
            #expect(try await own.platform.call("PATCH", "/tenants/globex/domains/\(id)", ["is_primary": true]).status == 404)
        }
    }
}
