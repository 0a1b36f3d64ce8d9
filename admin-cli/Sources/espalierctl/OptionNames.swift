/// The options of a command, by the names of their fields in the API.
struct OptionNames {
    private let flags: [String: String]
    private let options: Set<Substring>

    /// - Parameters:
    ///   - flags: the options whose names differ from their fields.
    ///   - help: the help of the command.
    init(_ flags: [String: String], help: String) {
        self.flags = flags
        options = Set(help.matches(of: #/--[a-z][a-z-]*/#).map(\.output))
    }

    /// The option for a field of the API, for example `--scope users:raed` for `scopes[1]`. Nil if no option sets the field.
    /// - Parameter body: has the value of an option that can be repeated.
    func name(of field: some StringProtocol, in body: JSON?) -> String? {
        let field = String(field)
        guard let parts = field.wholeASCIIMatch(of: #/([a-z_0-9]+)(?:\[([0-9]{1,4})\])?(.*)/#) else { return nil }
        let name = String(parts.1)
        if let flag = flags[name] { return "\(flag) (\(field))" }
        let long = "--\(name.replacing("_", with: "-"))"
        // An option that can be repeated has the singular.
        let candidates = [long] + (long.hasSuffix("s") ? [String(long.dropLast())] : [])
        guard parts.3.isEmpty, let option = candidates.first(where: { options.contains(Substring($0)) }) else { return nil }
        guard let index = parts.2.flatMap({ Int($0) }) else { return option }
        guard let values = body?[name]?.elements, values.indices.contains(index) else { return option }
        return "\(option) \(values[index].text)"
    }
}
