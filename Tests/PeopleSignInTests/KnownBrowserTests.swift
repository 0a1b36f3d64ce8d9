import Access
import Encoding
import Factors
import Foundation
import Hummingbird
import Logging
import People
import Sealing
import TestSupport
import Testing
import Web

@testable import PeopleSignIn

@Suite("Known browser")
struct KnownBrowserTests {
    private let person = ID<Person>(at: Date())
    /// When the accounts got their passwords.
    private static let changed = Date(timeIntervalSince1970: 1_790_000_000)

    /// No test asks its database.
    private static func endpoints(_ keyring: Keyring, at publicURL: String = "https://login.test") throws -> AccountEndpoints {
        AccountEndpoints(
            pool: try TestDatabase.pool("postgres://nobody@127.0.0.1:9/none"), keyring: keyring, publicURL: publicURL,
            limits: RequestLimits(perMinute: 1), hashing: PasswordHashing(count: 1), mail: nil, apple: nil, metrics: Metrics(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { Date() })
    }

    /// The value that a browser keeps.
    private static func value(of person: ID<Person>, _ endpoints: AccountEndpoints, password: Date? = changed) throws -> String {
        let cookie = KnownBrowser.cookie(of: person, passwordChangedAt: password, endpoints)
        return String(try #require(cookie.firstMatch(of: /^__Host-espalier-account-browser=([^;]+);/)).1)
    }

    private static func isKnown(
        _ person: ID<Person>, _ value: String, _ endpoints: AccountEndpoints, password: Date? = changed
    ) -> Bool { isKnown(person, cookie: "__Host-espalier-account-browser=\(value)", endpoints, password: password) }

    private static func isKnown(
        _ person: ID<Person>, cookie: String, _ endpoints: AccountEndpoints, password: Date? = changed
    ) -> Bool { KnownBrowser.isKnown(person, passwordChangedAt: password, in: .with(cookie: cookie), endpoints) }

    @Test("another password, and none, make the cookie useless; the database's rounding does not")
    func password() throws {
        let endpoints = try Self.endpoints(try Keyring.make())
        for time in [Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_78), nil] {
            let value = try Self.value(of: person, endpoints, password: time)
            let stored = time.map { _ in Date(timeIntervalSinceReferenceDate: 800_000_000.123_457) }
            #expect(Self.isKnown(person, value, endpoints, password: stored))
            for other in [stored?.addingTimeInterval(0.000_002), Self.changed, time == nil ? Date() : nil] where other != stored {
                #expect(!Self.isKnown(person, value, endpoints, password: other))
            }
        }
    }

    @Test("a browser knows each person who has signed in there, and no other")
    func bound() throws {
        let endpoints = try Self.endpoints(try Keyring.make())
        let (grace, stranger) = (ID<Person>(at: Date()), ID<Person>(at: Date()))
        let (one, two) = (try Self.value(of: person, endpoints), try Self.value(of: grace, endpoints))
        #expect(Self.isKnown(person, one, endpoints) && Self.isKnown(grace, two, endpoints))
        #expect(!Self.isKnown(grace, one, endpoints) && !Self.isKnown(person, two, endpoints))
        // The MAC is for the person, not only the ID beside it.
        let (first, second) = (try #require([UInt8](base64URL: one)), try #require([UInt8](base64URL: two)))
        let mixed = Array(first[..<4] + second[4..<20] + first[20...]).base64URL
        for each in [person, grace, stranger] { #expect(!Self.isKnown(each, mixed, endpoints)) }
        let several = "__Host-espalier-account-browser=\(one); a=b;__Host-espalier-account-browser=\(two)"
        for each in [person, grace] { #expect(Self.isKnown(each, cookie: several, endpoints)) }
        #expect(!Self.isKnown(stranger, cookie: several, endpoints))
    }

    @Test("a changed, shortened or lengthened cookie is not a proof")
    func tampered() throws {
        let endpoints = try Self.endpoints(try Keyring.make())
        let value = try Self.value(of: person, endpoints)
        let bytes = try #require([UInt8](base64URL: value))
        #expect(bytes.count == 52)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x80
            #expect(!Self.isKnown(person, changed.base64URL, endpoints), "\(index)")
        }
        for part in [Array(bytes.dropLast()), Array(bytes.dropFirst()), bytes + [0], Array(bytes[..<20]), []] {
            #expect(!Self.isKnown(person, part.base64URL, endpoints))
        }
        // Blanks around a value belong to the header, which has blanks in place of other control characters, too.
        for text in spoiled(value) where !text.contains(where: { $0 == " " || $0 == "\0" }) {
            #expect(!Self.isKnown(person, text, endpoints), "\(text.debugDescription)")
        }
    }

    @Test("the cookie has its name by bytes, and the prefix that sibling domains cannot set", arguments: joiningScalars)
    func name(_ joining: String) throws {
        let endpoints = try Self.endpoints(try Keyring.make())
        let value = try Self.value(of: person, endpoints)
        let name = "__Host-espalier-account-browser"
        for cookie in ["espalier-account-browser=\(value)", "\(name)\(joining)=\(value)", "\(joining)\(name)=\(value)"] {
            #expect(!Self.isKnown(person, cookie: cookie, endpoints), "\(cookie.debugDescription)")
        }
        // The separator ends the value before it.
        #expect(Self.isKnown(person, cookie: "a=\(joining);\(name)=\(value)", endpoints))
        #expect(Self.isKnown(person, cookie: "\(name)=\(value);\(joining)", endpoints))
    }

    @Test("the MAC of another purpose, and of a removed digest key, is not a proof")
    func keys() throws {
        let (old, new) = (DigestKey.generate(start: .distantPast), DigestKey.generate(start: Date(timeIntervalSince1970: 0)))
        let subject = withUnsafeBytes(of: person.uuid.uuid, Array.init)
        let keyring = try Keyring.make([old])
        for (purpose, isKnown) in [("known_browser", true), ("account_form", false)] {
            let mac = try #require(keyring.mac(subject + [UInt8](repeating: 0, count: 8), purpose: purpose, keyID: old.id))
            let value = (old.id.bytes + subject + mac).base64URL
            #expect(try Self.isKnown(person, value, Self.endpoints(keyring), password: nil) == isKnown)
            #expect(try Self.isKnown(person, value, Self.endpoints(Keyring.make([old, new])), password: nil) == isKnown)
            #expect(try !Self.isKnown(person, value, Self.endpoints(Keyring.make([new])), password: nil))
        }
    }

    @Test("no script, other site or plain connection gets the cookie, and it lasts 180 days")
    func attributes() throws {
        let parts = KnownBrowser.cookie(
            of: person, passwordChangedAt: nil, try Self.endpoints(try Keyring.make())
        ).components(separatedBy: "; ").dropFirst()
        #expect(Set(parts) == ["Max-Age=15552000", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"])
        let local = try Self.endpoints(try Keyring.make(), at: "http://localhost:8080")
        #expect(KnownBrowser.cookie(of: person, passwordChangedAt: nil, local).hasPrefix("espalier-account-browser="))
    }
}
