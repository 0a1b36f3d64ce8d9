import Access
import Foundation
import Server
import Tenancy
import TestSupport
import Testing

@testable import Domains

@Suite("Verify domain")
struct VerifyDomainTests {
    @Test("the record of the tenant's own claim proves the host; that of another tenant does not")
    func record() async throws {
        try await OwnHost.unclaimed { own in
            let (acme, globex) = (try await own.create(), try await own.create(of: "globex"))
            let missing = try await own.verify(acme.resourceID)
            #expect(missing.status == 200 && missing.string("outcome") == "missing" && missing.string("record") == "missing")
            try own.publish(globex)
            #expect(try await own.verify(acme.resourceID).string("outcome") == "missing")
            #expect(try await own.state(acme.resourceID) == "pending")
            #expect(try await own.platform.auditTrail(of: "verifyDomain").isEmpty)

            #expect(try await own.verify(globex.resourceID, of: "globex").string("outcome") == "found")
            #expect(try await own.state(globex.resourceID, of: "globex") == "active")
            #expect(try await own.platform.auditTrail(of: "verifyDomain").map(\.subject) == [globex.resourceID])
            // Now the host serves Globex, and Acme cannot take it.
            try own.publish(acme)
            let taken = try await own.verify(acme.resourceID)
            #expect(taken.status == 409 && !taken.body.lowercased().contains("globex"))
        }
    }

    @Test("the file at the host proves it, and no redirect, other content or long file does")
    func file() async throws {
        try await WebhookReceiver.run { receiver in
            let port = URL(string: receiver.url)?.port ?? 0
            try await OwnHost.unclaimed({
                $0.allowsPrivateWebhooks = true
                $0.domainFilePort = port
            }) { own in
                own.resolver.set(address: [127, 0, 0, 1], of: OwnHost.name)
                let domain = try await own.create()
                let token = try #require((domain.json["proof"] as? [String: [String: String]])?["file"]?["content"])
                for answer in [
                    WebhookReceiver.Answer.body("other"), .body(""), .body("\(token)x"), .body("\(token)\u{301}"), .status(404),
                    .redirect(to: "http://\(OwnHost.name):\(port)/"), .body(String(repeating: "x", count: 1024) + token),
                ] {
                    receiver.answer(answer)
                    // Not by a request, because a domain may be looked for 4 times per minute.
                    let proof = DomainProof(resolvers: own.platform.settings.dnsResolvers, allowsPrivate: true, port: port)
                    let findings = try await proof.look(for: Domain(ID(at: Date()), host: OwnHost.name, token: token, at: Date()))
                    #expect(findings.file == .missing, "\(answer)")
                }
                receiver.answer(.body("\(token)\n"))
                let found = try await own.verify(domain.resourceID)
                #expect(found.string("file") == "found" && found.string("record") == "missing" && found.string("outcome") == "found")
                #expect(receiver.received.last?.path == "/.well-known/espalier-domain")
            }
        }
    }

    @Test("a file in a private network is not read")
    func privateNetwork() async throws {
        try await WebhookReceiver.run { receiver in
            let port = URL(string: receiver.url)?.port ?? 0
            try await OwnHost.unclaimed({ $0.domainFilePort = port }) { own in
                own.resolver.set(address: [127, 0, 0, 1], of: OwnHost.name)
                let answer = try await own.verify(try await own.create().resourceID)
                #expect(answer.string("file") == "unknown" && answer.string("outcome") == "missing")
                #expect(receiver.received.isEmpty)
            }
        }
    }

    @Test("a domain can be looked for 4 times per minute, and the response names the wait")
    func limits() async throws {
        try await OwnHost.unclaimed { own in
            let id = try await own.create().resourceID
            for _ in 1...4 { #expect(try await own.verify(id).status == 200) }
            let refused = try await own.verify(id)
            #expect(refused.status == 429 && refused.header("Retry-After") != nil)
        }
    }

    @Test("a resolver that does not answer changes nothing")
    func outage() async throws {
        try await OwnHost.run { own in
            own.resolver.respond(.fail)
            try await own.set("check_due_at = now(), checked_at = NULL")
            try await own.platform.installation.domainUpkeep.pass(at: Date())
            let found = try await own.platform.call("GET", "/tenants/acme/domains").elements.first
            #expect(found?["state"] as? String == "active" && found?["checked_at"] != nil)
        }
    }
}
