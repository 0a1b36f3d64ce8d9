import Access
import Encoding
import Foundation
import Sealing
import Server
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing
import Web

/// Requests of Acme's third application that wait for a decision.
@Suite("Consent ticket")
struct ConsentTicketTests {
    private let keyring: Keyring
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        keyring = try Keyring([.generate()])
    }

    private func ticket(_ asked: AuthorizationRequest, _ acme: TenantConfiguration) -> ConsentTicket {
        ConsentTicket(asked, ID(at: now), of: ID(at: now), acme.tenant.id, at: now)
    }

    private func asked(_ platform: TestPlatform, _ acme: TenantConfiguration, _ changes: [String: String?]) throws -> AuthorizationRequest {
        let query = TestBrowser.Request(platform.acme, application: 2).authorizeURL(changing: changes).split(separator: "?")[1]
        var applications = acme.applications
        applications[ID<Tenancy.Application>(platform.acme.applications[2].client_id)!]?.isThirdParty = true
        return try AuthorizationRequest(try Form(String(query)), from: applications, issuer: platform.acme.issuer)
    }

    @Test("the request that waits opens unchanged, with present and absent fields, and only with its state")
    func roundTrip() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            let full = ["max_age": "0", "dpop_jkt": String(repeating: "A", count: 43), "response_mode": "form_post"] as [String: String?]
            let bare =
                ["state": nil, "nonce": nil, "code_challenge": nil, "code_challenge_method": nil, "scope": "openid"] as [String: String?]
            for changes in [full, bare, ["prompt": "consent"]] {
                let asked = try asked(platform, acme, changes)
                let sealed = try #require(ticket(asked, acme).sealed(with: keyring))
                let opened = try ConsentTicket(opening: sealed, of: acme.tenant.id, with: keyring, at: now)
                let state = asked.returnAddress.state
                let request = try #require(opened.request(from: asked.application, state: state, issuer: platform.acme.issuer))
                #expect(request.returnAddress.redirectURI == asked.returnAddress.redirectURI)
                #expect(request.returnAddress.mode == asked.returnAddress.mode && request.returnAddress.state == state)
                #expect(request.nonce == asked.nonce && request.scope == asked.scope && request.apis == asked.apis)
                #expect(request.asksConsent == (changes["prompt"] != nil))
                #expect(request.codeChallenge == asked.codeChallenge && request.key == asked.key && request.maxAge == asked.maxAge)
                #expect(opened.request(from: asked.application, state: "other", issuer: platform.acme.issuer) == nil)
                // The application no longer has the address.
                let other = try #require(acme.applications[ID(platform.acme.applications[1].client_id)!])
                var changed = asked.application
                changed.redirectURIs = other.redirectURIs.filter { $0 != asked.returnAddress.redirectURI } + ["https://other.test/"]
                #expect(opened.request(from: changed, state: state, issuer: platform.acme.issuer) == nil)
            }
        }
    }

    @Test("a ticket counts for 15 minutes, for its tenant, and is unaltered")
    func refused() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            let sealed = try #require(ticket(try asked(platform, acme, [:]), acme).sealed(with: keyring))
            func refusal(_ sealed: String, _ tenant: ID<Tenant>? = nil, after age: TimeInterval = 0) -> ConsentTicket.Refusal? {
                do throws(ConsentTicket.Refusal) {
                    _ = try ConsentTicket(
                        opening: sealed, of: tenant ?? acme.tenant.id, with: keyring, at: now.addingTimeInterval(age))
                    return nil
                } catch { return error }
            }
            #expect(refusal(sealed, after: 899) == nil)
            #expect(refusal(sealed, after: 900) == .expired)
            #expect(refusal(sealed, ID(at: now)) == .unreadable)
            for changed in ["", "x", sealed + "x", String(sealed.dropLast(2))] { #expect(refusal(changed) == .unreadable) }
        }
    }

    @Test("a request that is too long for a token has no ticket")
    func tooLong() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            let longest = "https://app.test/" + String(repeating: "a", count: 1983)
            var applications = acme.applications
            let id = ID<Tenancy.Application>(platform.acme.applications[2].client_id)!
            applications[id]?.redirectURIs = [longest]
            let changes = ["redirect_uri": longest, "nonce": String(repeating: "n", count: 512)] as [String: String?]
            let query = TestBrowser.Request(platform.acme, application: 2).authorizeURL(changing: changes).split(separator: "?")[1]
            let asked = try AuthorizationRequest(try Form(String(query)), from: applications, issuer: platform.acme.issuer)
            // Both limits together leave room.
            #expect(ticket(asked, acme).sealed(with: keyring) != nil)
            let longer = AuthorizationRequest(
                of: asked.application, at: asked.returnAddress, scope: String(repeating: "s", count: 1000), apis: [], nonce: asked.nonce,
                codeChallenge: nil, key: nil, maxAge: nil)
            #expect(ticket(longer, acme).sealed(with: keyring) == nil)
        }
    }
}
