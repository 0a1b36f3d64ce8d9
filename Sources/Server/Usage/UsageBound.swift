import ArgumentParser
import Ledger

/// Where a range of usage begins or ends, as `--from` and `--to` take it: a day, or a month with all its days. UTC.
struct UsageBound: ExpressibleByArgument {
    let firstDay: Day
    let lastDay: Day

    init?(argument: String) {
        if let month = Month(argument) {
            (firstDay, lastDay) = (month.firstDay, month.lastDay)
        } else if let day = Day(argument) {
            (firstDay, lastDay) = (day, day)
        } else {
            return nil
        }
    }
}
