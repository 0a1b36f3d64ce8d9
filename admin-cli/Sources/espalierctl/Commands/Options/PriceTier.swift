import ArgumentParser

/// The price of a login, up to a login of the month: `100000:0.005`; the price alone, `0.004`, for all that come after.
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
