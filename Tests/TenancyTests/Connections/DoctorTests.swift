import Foundation
@testable import Tenancy
import Testing

@Suite("Doctor")
struct DoctorTests {
    @Test(
        "the doctor compares clocks as exactly as a date without fractions permits",
        arguments: [
            // The start, the end and Apple's date, then the seconds by which the server is ahead.
            (100.5, 101.5, 100, 0), (100.5, 101.5, 101, 0), (100.5, 100.6, 99, 0.5), (100.5, 101.5, 160, -58.5), (100.5, 101.5, 30, 69.5),
        ] as [(Double, Double, Double, Double)])
    func clocks(sent: Double, received: Double, apple: Double, ahead: Double) {
        func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
        let found = Doctor.secondsAhead(from: date(sent), to: date(received), of: date(apple))
        #expect(abs(found - ahead) < 0.001)
    }

    @Test("the doctor checks the form of identifiers and names mistakes")
    func identifiers() {
        #expect(AppleIdentifiers.isPortalID("A1B2C3D4E5"))
        for text in ["", "A1B2C3D4E", "A1B2C3D4E5F", "a1b2c3d4e5", "A1B2C3D4EÉ", "A1B2C3D4E "] {
            #expect(!AppleIdentifiers.isPortalID(text))
        }
        for text in ["com.example.web", "a.b", "Com.Example.Web-2"] { #expect(AppleIdentifiers.isReverseDomain(text)) }
        for text in ["", "com", ".com", "com.", "com..a", "-a.b", "com.exämple", "com.a b", "a.b\n"] {
            #expect(!AppleIdentifiers.isReverseDomain(text), "\(text)")
        }
        for text in ["example.com", "a@example.com", "a.b+c@mail.example.com"] {
            #expect(AppleIdentifiers.refusal(ofEmailSource: text) == nil)
        }
        for text in ["", "example", "@example.com", "a@b@example.com", "a b@example.com", "https://example.com"] {
            #expect(AppleIdentifiers.refusal(ofEmailSource: text) != nil, "\(text)")
        }
    }
}
