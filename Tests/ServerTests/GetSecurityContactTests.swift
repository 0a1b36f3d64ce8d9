import Foundation
import Server
import Testing
import TestSupport

@Suite("Get security contact")
struct GetSecurityContactTests {
    @Test("security.txt contains the configured contact and expires; it is missing without a contact")
    func securityContact() async throws {
        try await TestPlatform.run({ $0.securityContact = "mailto:security@platform.test" }) { platform in
            let file = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/.well-known/security.txt")
            #expect(file.status == 200 && file.header("Content-Type") == "text/plain; charset=utf-8")
            let lines = file.body.split(separator: "\n").map(String.init)
            #expect(lines.count == 3 && lines[0] == "Contact: mailto:security@platform.test")
            let expires = try Date(lines[1].replacing("Expires: ", with: ""), strategy: .iso8601)
            // RFC 9116, section 2.5.5: less than a year from now.
            #expect((Date().addingTimeInterval(29 * 86400)...Date().addingTimeInterval(31 * 86400)).contains(expires))
            #expect(lines[2] == "Canonical: \(TestPlatform.publicURL)/.well-known/security.txt")
        }
        try await TestPlatform.run { platform in
            let none = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/.well-known/security.txt")
            #expect(none.status == 404 && none.json["code"] as? String == "not_found")
        }
    }
}
