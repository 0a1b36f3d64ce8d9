import ArgumentParser
import Ledger

/// The start or end of a range of usage, the value of `--from` and `--to`: a day, or a month with all its days, in
/// UTC.
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
