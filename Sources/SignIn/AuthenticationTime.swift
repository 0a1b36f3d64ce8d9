import Apple
import Foundation

extension IDToken {
    /// When Apple authenticated the user. If Apple's time is in the future or invalid, it is the current time.
    func authenticatedAt(by now: Date) -> Date {
        authTime.flatMap { (.distantPast...now).contains($0) ? $0 : nil } ?? now
    }
}
