import Access
import Foundation
@testable import People
import Testing

@Suite("Role")
struct RoleTests {
    @Test("a role is its name or the ID of a custom role, and returns to the same text")
    func texts() {
        let id = ID<CustomRole>(at: Date())
        for text in BuiltInRole.allCases.map(\.rawValue) + [id.description] { #expect(Role(text)?.description == text) }
        #expect(Role(id.description) == .custom(id))
    }

    @Test(
        "another text is not a role",
        arguments: ["", "Owner", "custom", "root", "owner ", "ow\u{301}ner", "role_", "tenant_01jd8x3v6qf9wr2m5tzk7h4c0n"])
    func others(_ text: String) {
        #expect(Role(text) == nil)
    }

    @Test(
        "a custom role cannot look like a built-in one",
        arguments: ["owner", "OWNER", "Operator", "custom", "", " ", "A\u{202E}B", "\u{200B}owner"])
    func names(_ name: String) {
        #expect(CustomRole.refusal(ofName: name) != nil)
        #expect(CustomRole.refusal(ofName: "Support desk") == nil)
    }
}
