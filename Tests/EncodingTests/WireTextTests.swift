import Encoding
import Foundation
import Testing

/// U+0600, U+0301 and U+200D join with the separator next to them into one `Character`. A parser of the wire must still
/// separate.
let joining = ["\u{600}", "\u{301}", "\u{200D}"]

@Suite("Text from the wire")
struct WireTextTests {
    @Test("parts, prefixes, blanks and lists are read by bytes", arguments: joining)
    func parts(_ joining: String) {
        for separator in [",", ";", "=", " ", "/", "."] as [Unicode.Scalar] {
            for text in ["a\(joining)\(separator)b", "a\(separator)\(joining)b", "a\(joining)\(separator)\(joining)b"] {
                #expect(text.parts(at: separator).count == 2, "\(text.debugDescription)")
            }
        }
        #expect("\(joining), a".listElements.count == 2)
        #expect("Bearer \(joining)".begins(with: "Bearer "))
        #expect(" \(joining) ".withoutBlanks.isSame(as: joining))
        #expect("A\(joining)Z".asciiLowercased.isSame(as: "a\(joining)z"))
        #expect("7\(joining)".wholeASCIIMatch(of: /[0-9].?/) == nil)
    }

    @Test("parts are the same as those of the standard library", arguments: [1, 2, 3, .max], [true, false])
    func partsAgree(most: Int, includesEmpty: Bool) {
        for text in ["", "/", "//", "a", "a/b", "/a//b/", "a/b/c/d", "ä/\u{1F600}/ö", "a\u{301}/b"] {
            // A part of a text has other indices, and a text of Foundation may have no UTF-8.
            for whole in ["<\(text)>", NSString(string: "<\(text)>") as String] {
                let part = whole.dropFirst().dropLast()
                let expected = part.utf8.split(separator: UInt8(ascii: "/"), maxSplits: most - 1, omittingEmptySubsequences: !includesEmpty)
                    .map { Array($0) }
                #expect(part.parts(at: "/", atMost: most, includingEmpty: includesEmpty).map { Array($0.utf8) } == expected)
                #expect(part.isSame(as: text) && part.begins(with: text) && !part.isSame(as: text + "/") && !part.begins(with: text + "/"))
            }
        }
    }

    @Test("texts are equal if their bytes are, not by Unicode equivalence")
    func same() {
        for (one, other) in [("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("é", "e\u{301}"), ("Å", "\u{212B}")] {
            #expect(one == other)
            #expect(!one.isSame(as: other) && ![one].has(other) && !one.begins(with: other))
        }
        #expect("\u{212A}".wholeASCIIMatch(of: /[A-Z]/) == nil)
        #expect("１".wholeASCIIMatch(of: /\d/) == nil)
    }

    /// The files that may search texts by Character, with the reason:
    private static let readers = [
        "Apple/ApplePrivateKey.swift": "a line that is not ASCII damages the PEM block, which is refused",
        "Apple/AppleSettings.swift": "a setting",
        "Apple/UserMigration.swift": "the address is ASCII by then",
        "AppleSimulator/Registry/Person.swift": "makes the ID of a name",
        "Sessions/Authorization/ReturnAddress.swift": "an origin of a registered URI, which is ASCII",
        "Users/RelinkUser.swift": "refuses an address that is not ASCII",
        "Tenancy/Applications/RedirectURI.swift": "refuses first what is not ASCII",
        "Access/Audit/AuditTrail.swift": "hexadecimal digits by then",
        "Tenancy/Connections/AppleIdentifiers.swift": "refused either way; only the advice differs",
        "Delivery/Webhooks/OutgoingRequest.swift": "the name of a type",
        "Ledger/Storage/RestoreUsage.swift": "the name of a file, from the command line",
        "Encoding/JSONWritable.swift": "a number that it wrote",
    ]

    @Test("no source that reads the wire splits, matches, searches or lowercases by Character")
    func sources() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardizedFileURL
        // A constant, and the functions themselves.
        let others = ["Billing/Money/Currency.swift", "Encoding/WireText.swift"]
        // Made once, because each evaluation of a literal parses it again.
        let (splits, matches) = (/\.split\([^)]*separator: "/, /\.(whole|first|prefix)Match\(of/)
        let (ours, searches) = (/publicURL\.hasPrefix|uuidString\.lowercased/, /\.(hasPrefix|hasSuffix|contains)\("|\.lowercased\(\)/)
        var read = 0
        for target in [
            "Web", "Access", "Delivery", "Tenancy", "Ledger", "Billing", "Sinks", "Users", "Signing", "Sessions", "Accounts", "SignIn",
            "Mushu", "Mail", "People", "PeopleSSO", "PeopleSignIn",
            "Factors", "Passkeys", "Encoding", "Apple", "AppleSimulator", "DemoApplication",
        ] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: target).path)
            where path.hasSuffix(".swift") {
                let name = "\(target)/\(path)"
                guard !others.contains(name) else { continue }
                read += 1
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                    #expect(!line.contains(splits), "\(name):\(number + 1): \(line)")
                    #expect(
                        !line.contains(matches) || line.contains("allSatisfy({ $0 < 0x80 })")
                            || line.contains("allSatisfy { $0 < 0x80 }"), "\(name):\(number + 1): \(line)")
                    // A setting, and hexadecimal digits.
                    guard Self.readers[name] == nil, !line.contains(ours) else { continue }
                    #expect(!line.contains(searches), "\(name):\(number + 1): \(line)")
                }
            }
        }
        #expect(read > 200)
        for name in Self.readers.keys {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            #expect(text.contains(searches), "\(name) needs no exception")
        }
    }
}
