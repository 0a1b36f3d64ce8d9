/// A value that an option or argument does not accept, read from ArgumentParser's message.
struct RejectedValue {
    let value: String
    /// The option, for example `--from`. Nil for a positional argument.
    let option: String?
    /// The name of the value's form, for example `time`.
    let form: String
    /// The allowed values of an option with a fixed list.
    private(set) var choices: [String] = []

    init?(_ message: String) {
        guard let match = message.wholeMatch(of: #/(?s)The value '(.*)' is invalid for '(?:(-[^ ]+) )?<([^>]+)>'(.*)/#) else { return nil }
        (value, option, form) = (String(match.1), match.2.map(String.init), String(match.3))
        let rest = match.4
        if rest.contains("Please provide one of the following:") {
            choices = rest.split(separator: "\n").dropFirst().map { String($0.drop { $0 == " " || $0 == "-" }) }
        } else if rest.contains("Please provide one of ") {
            choices = rest.matches(of: #/'([^']+)'/#).map { String($0.1) }
        }
    }

    /// The problem and the allowed form.
    var detail: String {
        let place = option.map { "\($0) <\(form)>" } ?? "<\(form)>"
        return "The value '\(value)' is invalid for '\(place)'. \(allowed)"
    }

    /// The most likely choice.
    var suggestion: String? {
        let nearest = CommandPath.nearest(to: value.lowercased(), among: choices.map { $0.lowercased() })
        return choices.first { $0.lowercased() == nearest }
    }

    private var allowed: String {
        if !choices.isEmpty { return "Pass one of: \(choices.joined(separator: ", "))." }
        return switch (option, form) {
        case ("--from", _), ("--to", _), ("--expires-at", _): "Write a time as 2026-11-01 or 2026-11-01T00:00:00Z."
        case ("--session-limit", _), ("--idle-limit", _): "Write a duration as 90s, 15m, 12h, 7d or seconds, or none."
        case ("--forward-to", _): "Write an address such as localhost:3000/webhooks or https://example.com/webhooks."
        case ("--jq", _):
            "Write a path (.data[].id), `|`, select(.status == \"active\"), length or keys. Pipe --json to jq for the rest of its language."
        case (_, "time"): "Write a duration as 90s, 15m, 12h, 7d or seconds."
        case (_, "day"): "Write a day of the calendar as 2026-11-01."
        case (nil, "month"): "Write a month as 2026-11, or pass a statement's ID."
        case (_, "month"): "Write a month as 2026-11."
        case (_, "amount"): "Write an amount as 49 or 0.005, with a period and up to 6 decimals."
        case (_, "last:price"): "Write a tier as 100000:0.005, and the last one as 0.004."
        case (_, "count"), (_, "days"), (_, "seconds"): "Write a whole number."
        case (_, "slug"): "A slug or an ID has letters, digits, hyphens and underscores."
        default: "An ID has letters, digits and underscores."
        }
    }
}
