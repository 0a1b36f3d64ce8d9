import Foundation
import Sealing
import Testing

@testable import Server

/// `docs/settings.md` lists exactly the settings that the code reads, with their defaults.
@Suite("Page of settings")
struct SettingsPageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// The page's rows: `| setting | value | default | meaning |`.
    private static func rows() throws -> [(name: String, initial: String)] {
        let text = try String(contentsOf: root.appending(path: "docs/settings.md"), encoding: .utf8)
        return text.matches(of: /(?m)^\| `(ESPALIER_[A-Z_]+)` \|[^|]*\|([^|]*)\|[^|]+\|$/).map {
            (String($0.1), $0.2.trimmingCharacters(in: .whitespaces))
        }
    }

    /// The settings that the code reads: `reader.string(forKey: "public.url")` and `required(reader, "public.url", …)`.
    private static func read() throws -> Set<String> {
        let folder = root.appending(path: "Sources")
        // Names the file that contains all others, so no reader of settings reads it.
        var found: Set = ["ESPALIER_CONFIG_FILE"]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /reader(?:, |\.[a-zA-Z]+\(forKey: )"([a-z.]+)"/) {
                found.insert("ESPALIER_" + match.1.replacing(".", with: "_").uppercased())
            }
        }
        return found
    }

    @Test("the page lists each setting once, and no other")
    func names() throws {
        let (names, read) = (try Self.rows().map(\.name), try Self.read())
        #expect(read.count > 30)
        #expect(Set(names) == read)
        #expect(names.count == Set(names).count)
    }

    @Test("each default on the page is the default in the code")
    func defaults() throws {
        let least = [
            "ESPALIER_PUBLIC_URL": "https://login.example.com", "ESPALIER_DATABASE_URL": "postgresql:///espalier",
            "ESPALIER_MASTER_KEYS": MasterKey.generate().base64.reveal(),
        ]
        let expected = try String(reflecting: Settings(environment: least))
        var compared = 0
        for (name, initial) in try Self.rows() {
            guard let value = initial.wholeMatch(of: /`(.+)`/)?.1 else {
                #expect(["", "required"].contains(initial), "\(name) has the default \(initial)")
                #expect((initial == "required") == (least[name] != nil), "\(name)")
                continue
            }
            compared += 1
            #expect(try String(reflecting: Settings(environment: least.merging([name: String(value)]) { $1 })) == expected, "\(name)")
        }
        #expect(compared > 20)
    }
}
