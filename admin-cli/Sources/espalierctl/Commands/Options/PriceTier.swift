import ArgumentParser

/// The price per login up to a number of logins per month, for example `100000:0.005`. The last tier is a price alone, for example `0.004`,
/// and applies to all further logins.
struct PriceTier {
    let upTo: Int?
    let unitPrice: Micros

    var json: JSON {
        .given(["up_to": JSON(upTo), "unit_price_micros": .integer(unitPrice.count)])
    }
}

extension PriceTier: ExpressibleByArgument {
    init?(argument: String) {
        let parts = argument.parts(at: ":")
        guard parts.count <= 2, let unitPrice = Micros(argument: String(parts[parts.count - 1])) else { return nil }
        if parts.count == 2 {
            guard parts[0].wholeASCIIMatch(of: #/[0-9]{1,10}/#) != nil, let end = Int(parts[0]), end > 0 else { return nil }
            upTo = end
        } else {
            upTo = nil
        }
        self.unitPrice = unitPrice
    }
}
