import Foundation
import Testing

/// Package.swift declares exactly the imports of each target of Sources. An unused dependency would draw a false arrow in
/// docs/pictures/targets.svg. An undeclared one compiles only if another target happens to need it too.
@Suite("Package")
struct PackageTests {
    /// The modules that the targets may import: the products of other packages and the targets of this one.
    private let known: Set<String>
    /// The modules that each target of Sources declares, per folder.
    private let declared: [String: Set<String>]
    /// The modules among the known ones that the files of each folder import.
    private let imported: [String: Set<String>]

    init() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)

        var products: [String: String] = [:]
        for match in manifest.matches(of: /let ([A-Za-z0-9]+): Target.Dependency = .product\(name: "([A-Za-z0-9]+)"/) {
            products[String(match.1)] = String(match.2)
        }
        var known = Set(products.values)
        for match in manifest.matches(of: /\.systemLibrary\(name: "([A-Za-z0-9]+)"/) { known.insert(String(match.1)) }
        // A target with a `path` is not in Sources.
        var declared: [String: Set<String>] = [:]
        for match in manifest.matches(
            of: /\.(?:target|executableTarget)\(\s*name: "([A-Za-z0-9-]+)"(?:,\s*dependencies: \[([^\]]*)\])?\s*\),\n/)
        {
            var modules: Set<String> = []
            for name in (match.2 ?? "").split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
                let target = name.hasPrefix("\"") ? Self.module(String(name.dropFirst().dropLast())) : nil
                modules.insert(target ?? products[String(name)] ?? String(name))
            }
            declared[String(match.1)] = modules
            known.insert(Self.module(String(match.1)))
        }
        var imported: [String: Set<String>] = [:]
        for (file, text) in try TableOwnershipTests.files("Sources", ".swift") {
            imported[String(file.prefix { $0 != "/" }), default: []].formUnion(Self.imports(of: text))
        }
        (self.known, self.declared) = (known, declared)
        self.imported = imported.mapValues { $0.intersection(known) }
    }

    private static func module(_ target: String) -> String {
        target.replacing("-", with: "_")
    }

    private static func imports(of text: String) -> Set<String> {
        var modules: Set<String> = []
        for line in text.split(separator: "\n") where !line.hasPrefix(" ") && !line.hasPrefix("/") {
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), index + 1 < words.count else { continue }
            let modifiers: Set<Substring> = ["package", "public", "internal", "private", "fileprivate"]
            if words[..<index].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") }) { modules.insert(String(words[index + 1])) }
        }
        return modules
    }

    @Test("the manifest is read completely")
    func manifest() {
        #expect(Set(declared.keys) == Set(imported.keys))
        #expect(declared.values.allSatisfy { $0.isSubset(of: known) })
    }

    @Test("each target imports every dependency that it declares")
    func unused() {
        for (target, modules) in declared {
            #expect(modules.subtracting(imported[target] ?? []).sorted() == [], "\(target) does not import these dependencies.")
        }
    }

    @Test("each target declares every dependency that it imports")
    func undeclared() {
        for (target, modules) in imported {
            #expect(modules.subtracting(declared[target] ?? []).sorted() == [], "\(target) does not declare these dependencies.")
        }
    }
}
