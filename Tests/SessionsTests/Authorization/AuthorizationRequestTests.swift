import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Authorization request")
struct AuthorizationRequestTests {
    @Test("parameters that Apple does not have are accepted and do not reach Apple")
    func taken() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let plain = try await TestBrowser(platform).authorize(request)
            for changes in [
                ["prompt": "login"], ["prompt": "consent select_account login"], ["prompt": ""], ["max_age": "0"],
                ["max_age": "2147483648"],
                ["login_hint": "ada@example.com", "id_token_hint": "a.b.c", "display": "wap", "ui_locales": "fr-CA fr en"],
                ["claims_locales": "de", "acr_values": "urn:x", "claims": "{}", "unheard_of": "x"],
            ] as [[String: String?]] {
                let answer = try await TestBrowser(platform).get(request.authorizeURL(changing: changes))
                #expect(answer.status == 302, "\(changes): \(answer.location ?? "")")
                let names = { (answer: TestBrowser.Answer) in URLComponents(string: answer.location ?? "")?.queryItems?.map(\.name) }
                #expect(names(answer) == names(plain))
            }
        }
    }
}
