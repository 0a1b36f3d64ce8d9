import Foundation

extension SeedPlan {
    /// Reads a plan. It rejects unknown fields, so that a mistyped `redirect_uri` is not silently ignored.
    ///
    /// - Throws: `DecodingError`; `Seed.Refusal` for an unknown field.
    init(json: Data) throws {
        self = try JSONDecoder().decode(SeedPlan.self, from: json)
        // A plan that is encoded again lacks exactly the unknown fields.
        let understood = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(self))
        if let field = Self.field(of: try JSONSerialization.jsonObject(with: json), missingIn: understood, at: "") {
            throw Seed.Refusal("\(field): this field is unknown. Nothing was changed.")
        }
    }

    /// Returns the path of the first field that is in one document only. A null field may be missing.
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
