import Foundation

extension SeedPlan {
    /// Reads a plan, and refuses a field that no plan has: a mistyped `redirect_uri` must not pass for none.
    ///
    /// - Throws: `DecodingError`; `Seed.Refusal` for an unknown field.
    init(json: Data) throws {
        self = try JSONDecoder().decode(SeedPlan.self, from: json)
        // What is written again lacks exactly what was not understood.
        let understood = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(self))
        if let field = Self.field(of: try JSONSerialization.jsonObject(with: json), missingIn: understood, at: "") {
            throw Seed.Refusal("\(field): a plan has no such field. Nothing was changed.")
        }
    }

    /// The path of the first field that one document has and the other lacks. A null says nothing, so it may.
    private static func field(of document: Any, missingIn other: Any?, at path: String) -> String? {
        func step(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
        switch document {
        case let object as [String: Any]:
            let other = other as? [String: Any]
            for (name, value) in object.sorted(by: { $0.key < $1.key }) where !(value is NSNull) {
                guard let known = other?[name] else { return step(name) }
                if let found = field(of: value, missingIn: known, at: step(name)) { return found }
            }
        case let list as [Any]:
            let other = other as? [Any] ?? []
            for (index, (value, known)) in zip(list, other).enumerated() {
                if let found = field(of: value, missingIn: known, at: step("\(index)")) { return found }
            }
        default: break
        }
        return nil
    }
}
