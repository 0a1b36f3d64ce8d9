import Foundation

/// The rules of the FinOps Open Cost and Usage Specification 1.2 for the columns that Espalier writes. They follow its chapter "Columns"
/// and its attributes (null, date/time, numeric, currency, unit and string handling). They do not depend on the export's code.
struct FocusRules {
    enum Form {
        case text, decimal, moment, currency, unit
        case oneOf(Set<String>)
    }

    struct Column {
        let name: String
        let isMandatory: Bool
        let mayBeNull: Bool
        let form: Form
        var mayBeNegative = true
    }

    static let categories: Set = ["Usage", "Purchase", "Tax", "Credit", "Adjustment"]
    static let services: Set = [
        "AI and Machine Learning", "Analytics", "Business Applications", "Compute", "Databases", "Developer Tools", "Multicloud",
        "Identity",
        "Integration", "Internet of Things", "Management and Governance", "Media", "Migration", "Mobile", "Networking", "Security",
        "Storage",
        "Web", "Other",
    ]

    static let columns: [Column] = [
        .init(name: "BilledCost", isMandatory: true, mayBeNull: false, form: .decimal),
        .init(name: "BillingAccountId", isMandatory: true, mayBeNull: false, form: .text),
        .init(name: "BillingAccountName", isMandatory: true, mayBeNull: true, form: .text),
        .init(name: "BillingCurrency", isMandatory: true, mayBeNull: false, form: .currency),
        .init(name: "BillingPeriodEnd", isMandatory: true, mayBeNull: false, form: .moment),
        .init(name: "BillingPeriodStart", isMandatory: true, mayBeNull: false, form: .moment),
        .init(name: "ChargeCategory", isMandatory: true, mayBeNull: false, form: .oneOf(categories)),
        .init(name: "ChargeClass", isMandatory: true, mayBeNull: true, form: .oneOf(["Correction"])),
        .init(name: "ChargeDescription", isMandatory: true, mayBeNull: true, form: .text),
        .init(name: "ChargeFrequency", isMandatory: false, mayBeNull: false, form: .oneOf(["One-Time", "Recurring", "Usage-Based"])),
        .init(name: "ChargePeriodEnd", isMandatory: true, mayBeNull: false, form: .moment),
        .init(name: "ChargePeriodStart", isMandatory: true, mayBeNull: false, form: .moment),
        .init(name: "ConsumedQuantity", isMandatory: false, mayBeNull: true, form: .decimal),
        .init(name: "ConsumedUnit", isMandatory: false, mayBeNull: true, form: .unit),
        .init(name: "ContractedCost", isMandatory: true, mayBeNull: false, form: .decimal),
        .init(name: "ContractedUnitPrice", isMandatory: false, mayBeNull: true, form: .decimal, mayBeNegative: false),
        .init(name: "EffectiveCost", isMandatory: true, mayBeNull: false, form: .decimal),
        .init(name: "InvoiceId", isMandatory: false, mayBeNull: true, form: .text),
        .init(name: "InvoiceIssuerName", isMandatory: true, mayBeNull: false, form: .text),
        .init(name: "ListCost", isMandatory: true, mayBeNull: false, form: .decimal),
        .init(name: "ListUnitPrice", isMandatory: false, mayBeNull: true, form: .decimal, mayBeNegative: false),
        .init(name: "PricingCategory", isMandatory: false, mayBeNull: true, form: .oneOf(["Standard", "Dynamic", "Committed", "Other"])),
        .init(name: "PricingQuantity", isMandatory: true, mayBeNull: true, form: .decimal),
        .init(name: "PricingUnit", isMandatory: true, mayBeNull: true, form: .unit),
        .init(name: "ProviderName", isMandatory: true, mayBeNull: false, form: .text),
        .init(name: "PublisherName", isMandatory: true, mayBeNull: false, form: .text),
        .init(name: "ServiceCategory", isMandatory: true, mayBeNull: false, form: .oneOf(services)),
        .init(name: "ServiceName", isMandatory: true, mayBeNull: false, form: .text),
        .init(name: "ServiceSubcategory", isMandatory: false, mayBeNull: false, form: .oneOf(["Other (Identity)"])),
        .init(name: "SkuId", isMandatory: false, mayBeNull: true, form: .text),
        .init(name: "SkuMeter", isMandatory: false, mayBeNull: true, form: .text),
        .init(name: "SkuPriceId", isMandatory: false, mayBeNull: true, form: .text),
    ]

    /// The violations in a file, each with its row, starting with 1, and its column.
    static func violations(_ table: [[String?]]) -> [String] {
        guard let first = table.first else { return ["there is no header"] }
        let names = first.map { $0 ?? "" }
        var found: [String] = []
        let known = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
        for column in columns where column.isMandatory && !names.contains(column.name) { found.append("\(column.name) is missing") }
        for name in names where known[name] == nil && !name.hasPrefix("x_") { found.append("\(name) is unknown and lacks x_") }
        if Set(names).count != names.count { found.append("a column exists twice") }
        for (index, fields) in table.dropFirst().enumerated() {
            let number = index + 1
            guard fields.count == names.count else {
                found.append("row \(number) has \(fields.count) fields")
                continue
            }
            let row = Dictionary(uniqueKeysWithValues: zip(names, fields)).compactMapValues(\.self)
            for column in columns where names.contains(column.name) {
                if let value = row[column.name] {
                    if !fits(value, column) { found.append("row \(number), \(column.name): \(value)") }
                } else if !column.mayBeNull {
                    found.append("row \(number), \(column.name) is null")
                }
            }
            found += relations(row).map { "row \(number), \($0)" }
        }
        return found
    }

    private static func fits(_ value: String, _ column: Column) -> Bool {
        switch column.form {
        case .text: !value.isEmpty && value.trimmingCharacters(in: .whitespaces) == value && value != "Not Applicable"
        case .decimal: value.wholeMatch(of: /-?\d+(\.\d+)?([eE][+-]?\d+)?/) != nil && (column.mayBeNegative || !value.hasPrefix("-"))
        case .moment: value.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil && (try? Date(value, strategy: .iso8601)) != nil
        case .currency: value.wholeMatch(of: /[A-Z]{3}/) != nil && Locale.Currency.isoCurrencies.contains(.init(value))
        // Capitalized nouns in the plural.
        case .unit: value.wholeMatch(of: /([1-9]\d* )?[A-Z][A-Za-z]*s/) != nil
        case .oneOf(let values): values.contains(value)
        }
    }

    /// The rules between columns.
    private static func relations(_ row: [String: String]) -> [String] {
        var found: [String] = []
        func rule(_ name: String, _ holds: Bool) { if !holds { found.append(name) } }
        func number(_ name: String) -> Decimal? { row[name].flatMap { Decimal(string: $0) } }
        let category = row["ChargeCategory"]
        let isCorrection = row["ChargeClass"] == "Correction"
        let isPriced = (category == "Usage" || category == "Purchase") && !isCorrection
        rule("a purchase is not usage-based", category != "Purchase" || row["ChargeFrequency"] != "Usage-Based")
        for name in ["PricingQuantity", "PricingUnit", "PricingCategory", "ListUnitPrice", "ContractedUnitPrice", "SkuId", "SkuPriceId"] {
            rule("\(name) of a priced charge is null", !isPriced || row[name] != nil)
            rule("\(name) of a tax is not null", category != "Tax" || row[name] == nil)
        }
        rule("PricingUnit goes with PricingQuantity", (row["PricingUnit"] == nil) == (row["PricingQuantity"] == nil))
        rule("ConsumedUnit goes with ConsumedQuantity", (row["ConsumedUnit"] == nil) == (row["ConsumedQuantity"] == nil))
        rule("ConsumedQuantity exists only for usage", category == "Usage" || row["ConsumedQuantity"] == nil)
        if category == "Usage", !isCorrection { rule("ConsumedQuantity is positive", (number("ConsumedQuantity") ?? 0) > 0) }
        for (price, cost) in [("ListUnitPrice", "ListCost"), ("ContractedUnitPrice", "ContractedCost")] where !isCorrection {
            if let unit = number(price), let quantity = number("PricingQuantity") {
                rule("\(price) times PricingQuantity is \(cost)", unit * quantity == number(cost))
            }
        }
        if row["ContractedUnitPrice"] == nil {
            rule("ContractedCost without a price is BilledCost", row["ContractedCost"] == row["BilledCost"])
        }
        for period in ["Billing", "Charge"] {
            rule("\(period)Period starts before it ends", (row["\(period)PeriodStart"] ?? "") < (row["\(period)PeriodEnd"] ?? ""))
        }
        let isInside =
            (row["BillingPeriodStart"] ?? "") <= (row["ChargePeriodStart"] ?? "")
            && (row["ChargePeriodEnd"] ?? "") <= (row["BillingPeriodEnd"] ?? "")
        rule("a charge is in its billing period, or corrects another", isInside != isCorrection)
        return found
    }

    /// Reads CSV by RFC 4180. An empty field is null, and an empty text is quoted. Nil if the text is not CSV.
    static func table(_ text: String) -> [[String?]]? {
        var (rows, fields, field): ([[String?]], [String?], String) = ([], [], "")
        var (isQuoted, wasQuoted, isOpen) = (false, false, false)
        var scalars = Array(text.unicodeScalars)[...]
        func ended() -> String? { field.isEmpty && !wasQuoted ? nil : field }
        while let scalar = scalars.popFirst() {
            isOpen = true
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"":
                scalars.removeFirst()
                field.unicodeScalars.append("\"")
            case "\"" where isQuoted: isQuoted = false
            case "\"":
                guard field.isEmpty, !wasQuoted else { return nil }
                (isQuoted, wasQuoted) = (true, true)
            case ",", "\n":
                guard !isQuoted else {
                    field.unicodeScalars.append(scalar)
                    continue
                }
                fields.append(ended())
                (field, wasQuoted) = ("", false)
                if scalar == "\n" {
                    rows.append(fields)
                    (fields, isOpen) = ([], false)
                }
            default:
                guard isQuoted || !wasQuoted else { return nil }
                field.unicodeScalars.append(scalar)
            }
        }
        return isOpen ? nil : rows
    }
}
