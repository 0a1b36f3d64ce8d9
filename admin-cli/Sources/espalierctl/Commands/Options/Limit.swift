import ArgumentParser

/// A duration, or `none`.
enum Limit {
    case none
    case span(Span)

    var json: JSON {
        switch self {
        case .none: .null
        case .span(let span): .integer(span.seconds)
        }
    }
}

extension Limit: ExpressibleByArgument {
    init?(argument: String) {
        if argument == "none" {
            self = .none
        } else {
            guard let span = Span(argument: argument) else { return nil }
            self = .span(span)
        }
    }
}
