import Access
import Encoding
import Foundation
import People
import Synchronization
import Web

/// The limits of wrong passwords and codes in the memory of a process, beside those of each person in the database.
///
/// A network has 20 attempts at once, and 2 more each minute. A customer's whole IPv6 site has 200, and 4 more each minute. All addresses of
/// people count together, so one password for many addresses (password spraying) is slow, too. A right attempt costs nothing.
final class SignInLimits: Sendable {
    private let networks = TokenBuckets<String>(perMinute: 2, holding: 20)
    private let sites = TokenBuckets<String>(perMinute: 4, holding: 200)
    /// The known browsers of each person. An attempt takes `costOfKnown` tokens, so a person has 20 at once, and 20 more each hour.
    private let known = TokenBuckets<ID<Person>>(perMinute: 1, holding: 60)
    private static let costOfKnown = 3
    private let strangers = Mutex<[[UInt8]: Failures]>([:])

    private struct Failures {
        var count: Int
        var lastAt: Date
    }

    /// How many addresses without an account are counted.
    private static let mostStrangers = 10_000

    /// Takes an attempt of a network before it costs anything.
    /// - Returns: How long the network must wait, in seconds. Nil if the attempt is permitted.
    func take(_ record: RequestRecord, at now: ContinuousClock.Instant = .now) -> Int? {
        let address = record.current.address
        let (network, site) = (CallerNetwork.of(address), CallerNetwork.site(of: address))
        let level = networks.take(network, at: now)
        guard level.isGranted else { return max(1, level.secondsUntilNext) }
        let wide = sites.take(site, at: now)
        guard wide.isGranted else {
            networks.giveBack(network, at: now)
            return max(1, wide.secondsUntilNext)
        }
        return nil
    }

    func giveBack(_ record: RequestRecord, at now: ContinuousClock.Instant = .now) {
        let address = record.current.address
        networks.giveBack(CallerNetwork.of(address), at: now)
        sites.giveBack(CallerNetwork.site(of: address), at: now)
    }

    /// Takes an attempt of a person in a known browser (`KnownBrowser`), which does not wait.
    /// - Returns: Whether it is permitted. Otherwise, the browser counts as an unknown one.
    func takeKnown(_ person: ID<Person>, at now: ContinuousClock.Instant = .now) -> Bool {
        known.take(person, cost: Self.costOfKnown, at: now).isGranted
    }

    /// Gives an attempt with the right password back.
    func giveBackKnown(_ person: ID<Person>, at now: ContinuousClock.Instant = .now) {
        for _ in 0..<Self.costOfKnown { known.giveBack(person, at: now) }
    }

    /// Counts an attempt for an address without an account, by the rule for accounts. Otherwise a missing limit would show that there is none.
    /// - Parameter key: a digest of the address.
    /// - Returns: How long the next attempt must wait, in seconds. 0 if this one is permitted.
    func reserveStranger(_ key: [UInt8], at now: Date) -> TimeInterval {
        strangers.withLock { strangers in
            let old = strangers[key]
            let wait = Person.Attempt.password.wait(after: old?.count ?? 0, lastAt: old?.lastAt, at: now)
            guard wait <= 0 else { return wait }
            let start = now.addingTimeInterval(-Person.Attempt.window)
            if old == nil, strangers.count >= Self.mostStrangers {
                strangers = strangers.filter { $0.value.lastAt > start }
                if strangers.count > Self.mostStrangers / 2 { strangers = [:] }
            }
            let counted = old.map { $0.lastAt > start ? $0.count : 0 } ?? 0
            strangers[key] = Failures(count: counted + 1, lastAt: now)
            return 0
        }
    }
}
