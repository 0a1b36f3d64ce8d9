import Encoding
import Web

/// The parameters of a button image, with Apple's names, limits and defaults.
struct ButtonQuery {
    private(set) var button = AppleButton()
    /// Pixels per point.
    private(set) var scale = 1

    private static let names = ["height", "width", "color", "border", "type", "border_radius", "locale"]

    /// - Parameter hasScale: Whether the image has pixels. An SVG has none.
    /// - Throws: `Problem` with each invalid parameter, its value and its permitted values.
    init(_ query: String, hasScale: Bool) throws {
        let names = hasScale ? Self.names + ["scale"] : Self.names
        let form: Form
        do { form = try Form(query) } catch {
            if case .repeated(let name) = error {
                throw Problem.invalid(.init(Self.shown(name), "This parameter is repeated. Send it once."))
            }
            throw Problem(.invalid, "The query is invalid. It has an invalid percent-encoding or more than 64 parameters.")
        }
        var reader = Reader(form: form)
        for name in form.names where !names.has(name) {
            var detail = name.isSame(as: "scale") ? "An SVG has no pixels, so it has no scale." : "This parameter is unknown."
            // Once is enough for all unknown names.
            if reader.refused.isEmpty { detail += " Known parameters: " + names.map { "`\($0)`" }.joined(separator: ", ") + "." }
            reader.refused.append(.init(Self.shown(name), detail))
        }
        button.height = reader.integer("height", AppleButton.heights) ?? button.height
        button.width = reader.integer("width", AppleButton.widths) ?? button.width
        button.color = reader.choice("color") ?? button.color
        button.hasBorder = reader.flag("border") ?? button.hasBorder
        button.kind = reader.choice("type") ?? button.kind
        button.cornerRadius = reader.integer("border_radius", AppleButton.cornerRadii) ?? button.cornerRadius
        button.locale = reader.choice("locale") ?? button.locale
        if hasScale { scale = reader.integer("scale", AppleButton.scales) ?? scale }
        // At most 20 are reported, so that the response is not much larger than the request.
        guard reader.refused.isEmpty else { throw Problem.invalid(Array(reader.refused.prefix(20))) }
    }

    /// A caller's text for an error, at most 40 scalars of it.
    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        var shown = ""
        for scalar in scalars.prefix(40) {
            // Another character may be invisible or look like a permitted one.
            let isPrinted = scalar.value >= 0x20 && scalar.value < 0x7F
            shown += isPrinted ? String(scalar) : "U+" + String(scalar.value, radix: 16, uppercase: true)
        }
        return scalars.count > 40 ? shown + "…" : shown
    }

    private struct Reader {
        let form: Form
        var refused: [Problem.Field] = []

        /// The value of a parameter that occurs. An empty one is invalid.
        private func given(_ name: String) -> String? { form.names.has(name) ? form[name] ?? "" : nil }

        private mutating func refuse(_ name: String, _ value: String, _ permitted: String) {
            refused.append(.init(name, "It is `\(ButtonQuery.shown(value))`. It must be \(permitted)."))
        }

        mutating func integer(_ name: String, _ range: ClosedRange<Int>) -> Int? {
            guard let text = given(name) else { return nil }
            guard let number = Int(text), range.contains(number), String(number).isSame(as: text) else {
                refuse(name, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
                return nil
            }
            return number
        }

        mutating func flag(_ name: String) -> Bool? {
            guard let text = given(name) else { return nil }
            if ["true", "false"].has(text) { return text.isSame(as: "true") }
            refuse(name, text, "`true` or `false`")
            return nil
        }

        mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(_ name: String) -> Choice? {
            guard let text = given(name) else { return nil }
            // By bytes: for Swift, a Kelvin sign is a K.
            if let choice = Choice.allCases.first(where: { $0.rawValue.isSame(as: text) }) { return choice }
            refuse(name, text, "one of " + Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))
            return nil
        }
    }
}
