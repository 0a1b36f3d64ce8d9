import Access
@testable import Apple
import Encoding
import Foundation
import Sealing
import Server
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing
import Users
import Web

@Suite("Ticket of a mailed link")
struct LinkProofTests {
    private let keyring: Keyring
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        keyring = try Keyring([.generate()])
    }

    private func attempt(_ platform: TestPlatform, at start: Date) async throws -> LoginAttempt {
        let acme = try await platform.configuration(of: platform.acme)
        let query = TestBrowser.Request(platform.acme).authorizeURL(changing: [:]).split(separator: "?")[1]
        let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: platform.acme.issuer)
        return LoginAttempt(asked, tenant: acme.tenant.id, connection: try #require(acme.connection).id, browserSecret: "s", at: start)
    }

    private func waiting(_ attempt: LoginAttempt, idToken: String = "a.b.c", candidate: ID<User>? = nil) -> WaitingIdentity {
        WaitingIdentity(
            AppleTokens(accessToken: "a", idToken: idToken, refreshToken: "r"), nil, address: "a@example.com", isNewConsent: true,
            of: attempt, after: "c", candidate: candidate ?? ID(at: now), at: now)
    }

    @Test("it proves one identity and user in one attempt, until the attempt ends")
    func proves() async throws {
        try await TestPlatform.run { [self] platform in
            let (attempt, other) = (try await attempt(platform, at: now - 300), try await attempt(platform, at: now - 300))
            let waiting = waiting(attempt)
            let sealed = LinkProof(for: waiting, of: attempt, at: String(repeating: "a", count: 254)).sealed(with: keyring)
            #expect(sealed.utf8.count < 700)
            let proof = try #require(LinkProof(opening: sealed, of: attempt.tenant, with: keyring))
            #expect(proof.address.utf8.count == 254 && proof.expiresAt == now + 600)
            #expect(proof.proves(waiting, of: attempt, at: now + 599))
            #expect(!proof.proves(waiting, of: attempt, at: now + 600))
            #expect(!proof.proves(waiting, of: other, at: now))
            #expect(!proof.proves(self.waiting(attempt, idToken: "a.b.d", candidate: waiting.candidate), of: attempt, at: now))
            #expect(!proof.proves(self.waiting(attempt), of: attempt, at: now))
        }
    }

    @Test("it opens for no other tenant or key, and not altered")
    func refused() async throws {
        try await TestPlatform.run { [self] platform in
            let attempt = try await attempt(platform, at: now)
            let sealed = LinkProof(for: waiting(attempt), of: attempt, at: "a@example.com").sealed(with: keyring)
            let globex = try #require(ID<Tenant>(platform.globex.id))
            #expect(LinkProof(opening: sealed, of: globex, with: keyring) == nil)
            #expect(LinkProof(opening: sealed, of: attempt.tenant, with: try Keyring([.generate()])) == nil)
            for text in ["", "x", sealed + "x", String(sealed.dropLast(3)), sealed + "\u{301}", "\u{600}" + sealed] {
                #expect(LinkProof(opening: text, of: attempt.tenant, with: keyring) == nil)
            }
        }
    }

    @Test("the page of an expired link says so")
    func expired() async throws {
        try await Linking.run { [self] linking in
            let attempt = try await attempt(linking.platform, at: Date() - 901)
            let proof = LinkProof(for: waiting(attempt), of: attempt, at: "a@example.com").sealed(with: linking.platform.settings.keyring)
            let page = try await linking.browser.get("\(linking.platform.acme.issuer)/oauth2/link/mail?ticket=\(proof)")
            #expect(page.isPage(400) && page.body.contains("took too long"), "\(page.body)")
        }
    }
}
