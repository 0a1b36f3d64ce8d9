import ArgumentParser
import Foundation

/// A moment in UTC. A date alone stands for its first moment, so that `--from 2026-11-01 --to 2026-12-01` is November.
struct Instant: ExpressibleByArgument {
    /// RFC 3339, with `Z`.
    let text: String

    init?(argument: String) {
        let text = argument.wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) == nil ? argument : "\(argument)T00:00:00Z"
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        self.text = date.formatted(.iso8601)
    }
}
