import ArgumentParser

/// An amount of money in millionths of a currency unit, as in the API. People write `49` or `0.005`. It is never a floating-point number.
struct Micros: Equatable {
    let count: Int

    /// The amount as people write it, with only the necessary decimals.
    var text: String {
        let (whole, fraction) = count.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var digits = String(String(1_000_000 + fraction).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return (count < 0 ? "-" : "") + String(whole) + (digits.isEmpty ? "" : "." + digits)
    }
}

extension Micros: ExpressibleByArgument {
    init?(argument: String) {
        guard let parts = argument.wholeASCIIMatch(of: #/([0-9]{1,10})(?:\.([0-9]{1,6}))?/#), let whole = Int(parts.1) else {
            return nil
        }
        let decimals = String(parts.2 ?? "")
        guard let fraction = Int(decimals + String(repeating: "0", count: 6 - decimals.count)) else { return nil }
        count = whole * 1_000_000 + fraction
    }

    var defaultValueDescription: String { text }
}
