import ArgumentParser

/// A duration: `90s`, `15m`, `24h`, `30d`, or seconds alone.
struct Span {
    let seconds: Int
}

extension Span: ExpressibleByArgument {
    init?(argument: String) {
        guard let match = argument.wholeASCIIMatch(of: #/(\d{1,9})([smhd]?)/#), let count = Int(match.1) else { return nil }
        let units = ["": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = units[String(match.2)] else { return nil }
        seconds = count * unit
    }

    var defaultValueDescription: String {
        seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds)s"
    }
}
