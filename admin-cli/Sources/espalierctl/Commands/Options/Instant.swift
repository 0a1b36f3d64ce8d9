import ArgumentParser
import Foundation

/// A time in UTC. A date alone means the start of the day, so `--from 2026-11-01 --to 2026-12-01` is November.
struct Instant: ExpressibleByArgument {
    /// The time in the format of RFC 3339, with `Z`.
    let text: String

    init?(argument: String) {
        guard argument.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = argument.wholeASCIIMatch(of: #/\d{4}-\d{2}-\d{2}/#) == nil ? argument : "\(argument)T00:00:00Z"
        guard let parts = text.wholeASCIIMatch(of: #/(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})([Zz]|[+-]\d{2}:\d{2})/#) else {
            return nil
        }
        // Foundation reads 30 February as 2 March. An existing time has the same text after parsing and formatting.
        let local = "\(parts.1.uppercased())Z"
        guard (try? Date(local, strategy: .iso8601))?.formatted(.iso8601) == local,
            let written = (try? Date(text.uppercased(), strategy: .iso8601))?.formatted(.iso8601), written.utf8.count == local.utf8.count
        else { return nil }
        self.text = written
    }
}
