import Foundation
@testable import Passkeys
import Testing

/// The rules for a script in a page.
@Suite("Passkey script")
struct PasskeyScriptTests {
    private let text = PasskeyScript.text

    @Test("it posts the fields that the server reads, and reads the options that the server writes")
    func fields() {
        for name in ["client_data", "attestation_object", "transports", "credential_id", "authenticator_data", "signature", "user_handle"] {
            #expect(text.contains("\(name): "), "\(name)")
        }
        for name in ["challenge", "user", "excludeCredentials", "allowCredentials"] { #expect(text.contains("options.\(name)"), "\(name)") }
    }

    @Test("a page can contain it, and allow it by its hash")
    func inline() {
        // Templates replace the first two, and HTML ends a script at the next two.
        for part in ["{{", "}}", "</", "<!--", "\r", "\t"] { #expect(!text.contains(part), "\(part)") }
        #expect(text.utf8.allSatisfy { $0 < 0x7F })
    }

    @Test("it makes no code from text, no markup, and no requests")
    func policy() {
        for part in [
            "eval", "Function(", "innerHTML", "outerHTML", "insertAdjacent", "document.write", "fetch", "XMLHttpRequest", "import", "http",
            "postMessage", "localStorage", "console", "setTimeout", "location",
        ] { #expect(!text.contains(part), "\(part)") }
    }
}
