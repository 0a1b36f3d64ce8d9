package import Postgres

/// A currency of ISO 4217 with the decimals of its smallest coin.
package struct Currency: Hashable, Sendable {
    package let code: String

    /// The number of decimals: two in USD, none in JPY, three in KWD.
    package var decimals: Int { Self.decimals[code] ?? 2 }

    /// The smallest payable amount, in millionths of the unit.
    package var smallestMicros: Int { [1_000_000, 100_000, 10_000, 1_000, 100][decimals] }

    /// Nil for a code that is not in ISO 4217's list one (2026-01-01), or not a means of payment (XAU, XXX).
    package init?(_ code: String) {
        guard Self.codes.contains(code) else { return nil }
        self.code = code
    }

    /// The currencies whose smallest coin is not a hundredth.
    private static let decimals = [
        "BHD": 3, "BIF": 0, "CLF": 4, "CLP": 0, "DJF": 0, "GNF": 0, "IQD": 3, "ISK": 0, "JOD": 3, "JPY": 0, "KMF": 0, "KRW": 0, "KWD": 3,
        "LYD": 3, "OMR": 3, "PYG": 0, "RWF": 0, "TND": 3, "UGX": 0, "UYI": 0, "UYW": 4, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
    ]

    private static let codes: Set<String> = Set(
        """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP \
        CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS \
        INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR \
        MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD \
        SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST \
        XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
        """.split(separator: " ").map(String.init))
}

extension Currency: CustomStringConvertible, Encodable, SQLValue {
    package var description: String { code }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(code)
    }

    package static var sqlType: SQLType { .text }

    package func encode(into bytes: inout [UInt8]) { code.encode(into: &bytes) }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        guard let currency = Currency(try String(decoding: cell)) else { throw SQLMismatch() }
        self = currency
    }

    /// The usual text of an amount in millionths: `12.34`, or more decimals if needed (`0.005`).
    package func text(micros: Int) -> String {
        let (whole, fraction) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var digits = String(String(1_000_000 + fraction).dropFirst())
        while digits.count > decimals, digits.last == "0" { digits.removeLast() }
        return (micros < 0 ? "-" : "") + String(whole) + (digits.isEmpty ? "" : "." + digits)
    }
}
