/// Reads a JSON object field by field. Each read removes the field. ``end()`` rejects unread fields, so that a
/// misspelled field is an error with its path and not a silent default.
struct JSONFields {
    private var fields: [String: JSONValue]
    /// The path of the object in its document, such as `teams[0].keys[1]`; empty at the top.
    let path: String

    init(_ value: JSONValue, at path: String = "") throws(RegistryError) {
        guard case .object(let fields) = value else {
            throw RegistryError(path: path, "must be an object")
        }
        self.fields = fields
        self.path = path
    }

    mutating func value(_ name: String) -> JSONValue? {
        fields.removeValue(forKey: name)
    }

    mutating func optionalString(_ name: String) throws(RegistryError) -> String? {
        switch fields.removeValue(forKey: name) {
        case nil, .null: return nil
        case .string(let value): return value
        default: throw error(name, "must be a string")
        }
    }

    mutating func string(_ name: String) throws(RegistryError) -> String {
        guard let value = try optionalString(name) else { throw error(name, "is missing") }
        guard !value.isEmpty else { throw error(name, "must not be empty") }
        return value
    }

    mutating func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(RegistryError) -> Int? {
        switch fields.removeValue(forKey: name) {
        case nil, .null: return nil
        case .integer(let value) where range.contains(value): return value
        default: throw error(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    mutating func optionalBool(_ name: String) throws(RegistryError) -> Bool? {
        switch fields.removeValue(forKey: name) {
        case nil, .null: return nil
        case .bool(let value): return value
        default: throw error(name, "must be true or false")
        }
    }

    /// Returns the elements of an array with their paths; empty if the field is absent.
    mutating func array(_ name: String) throws(RegistryError) -> [(value: JSONValue, path: String)] {
        switch fields.removeValue(forKey: name) {
        case nil, .null: return []
        case .array(let values):
            return values.enumerated().map { (value: $0.element, path: "\(pathOf(name))[\($0.offset)]") }
        default: throw error(name, "must be an array")
        }
    }

    mutating func strings(_ name: String) throws(RegistryError) -> [String] {
        var strings: [String] = []
        for (value, path) in try array(name) {
            guard case .string(let string) = value else { throw RegistryError(path: path, "must be a string") }
            strings.append(string)
        }
        return strings
    }

    /// Returns one of an enum's raw values, or nil if the field is absent.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _: Choice.Type
    ) throws(RegistryError) -> Choice? where Choice.RawValue == String {
        guard let raw = try optionalString(name) else { return nil }
        guard let choice = Choice(rawValue: raw) else {
            throw error(name, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    func end() throws(RegistryError) {
        if let unknown = fields.keys.min() { throw error(unknown, "is unknown") }
    }

    func error(_ name: String, _ reason: String) -> RegistryError {
        RegistryError(path: pathOf(name), reason)
    }

    private func pathOf(_ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }
}
