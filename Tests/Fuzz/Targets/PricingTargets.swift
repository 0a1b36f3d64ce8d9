import Foundation
import Fuzzing
@testable import Ledger

extension FuzzTarget {
    static let pricing: [FuzzTarget] = [
        FuzzTarget(
            text: "day",
            seeds: [
                "2026-11-01", "2024-02-29", "2023-02-29", "2100-02-29", "2026-11-31", "9999-12-31", "1999-12-31", "２026-11-01",
                "2026-11-+1",
            ]
        ) { text in
            guard let day = Day(text) else { return }
            try hold(day.description.isExactly(text), "a day has two spellings")
            try hold(Day(day.start) == day, "its start is not in the day")
            try hold(day.month.firstDay <= day && day <= day.month.lastDay, "it is in another month")
        },
        FuzzTarget(text: "month", seeds: ["2026-11", "2000-01", "9999-12", "2026-00", "2026-13", "26-1", "2026-1", "+026-11"]) { text in
            guard let month = Month(text) else { return }
            try hold(month.description.isExactly(text), "a month has two spellings")
            try hold((28...31).contains(month.days), "it has \(month.days) days")
            try hold(month.next.previous == month && month.lastDay + 1 == month.next.firstDay, "there is a gap after it")
        },
    ]
}
