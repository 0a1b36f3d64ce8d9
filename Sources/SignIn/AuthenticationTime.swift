import Apple
import Foundation

extension IDToken {
    /// When Apple authenticated the user. Apple's clock may be ahead of ours, or say nonsense: then it was now.
    func authenticatedAt(by now: Date) -> Date {
        authTime.flatMap { (.distantPast...now).contains($0) ? $0 : nil } ?? now
    }
}
