import Access
import Foundation
import People
import Testing
import Web

@testable import PeopleSignIn

@Suite("Sign-in limits")
struct SignInLimitsTests {
    private let start = ContinuousClock.now
    private let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static func caller(_ address: String) -> RequestRecord {
        let record = RequestRecord()
        record.note(address: address)
        return record
    }

    @Test("a network has exactly 20 attempts at once, then one each 30 s, and no other network pays for them")
    func network() {
        let (limits, caller) = (SignInLimits(), Self.caller("203.0.113.7"))
        for _ in 0..<20 { #expect(limits.take(caller, at: start) == nil) }
        #expect(limits.take(caller, at: start) == 30)
        #expect(limits.take(caller, at: start + .milliseconds(29_900)) == 1)
        #expect(limits.take(Self.caller("203.0.113.8"), at: start) == nil)
        #expect(limits.take(caller, at: start + .milliseconds(30_100)) == nil)
        #expect(limits.take(caller, at: start + .milliseconds(30_100)) != nil)
    }

    @Test("the addresses of one /64 are one network")
    func sameNetwork() {
        let limits = SignInLimits()
        for place in 0..<20 { #expect(limits.take(Self.caller("2001:db8:1:2::\(place)"), at: start) == nil) }
        #expect(limits.take(Self.caller("2001:db8:1:2:ffff::1"), at: start) != nil)
        #expect(limits.take(Self.caller("2001:db8:1:3::1"), at: start) == nil)
        // An IPv4-mapped address is the IPv4 address.
        for _ in 0..<20 { #expect(limits.take(Self.caller("::ffff:203.0.113.7"), at: start) == nil) }
        #expect(limits.take(Self.caller("203.0.113.7"), at: start) != nil)
    }

    @Test("the /48 of a customer has exactly 200 attempts, however many networks it has, and a refusal costs the network nothing")
    func site() {
        let limits = SignInLimits()
        for place in 0..<200 {
            #expect(limits.take(Self.caller("2001:db8:1:\(String(place, radix: 16))::1"), at: start) == nil, "\(place)")
        }
        let fresh = Self.caller("2001:db8:1:ffff::1")
        for _ in 0..<40 { #expect(limits.take(fresh, at: start) == 15) }
        #expect(limits.take(Self.caller("2001:db8:2::1"), at: start) == nil)
        // After 5 minutes, the site has 20 more, and its network still has them all.
        for _ in 0..<20 { #expect(limits.take(fresh, at: start + .milliseconds(300_100)) == nil) }
        #expect(limits.take(fresh, at: start + .milliseconds(300_100)) != nil)
    }

    @Test("a right attempt is given back to the network and the site, and never makes more than were taken")
    func giveBack() {
        let (limits, caller) = (SignInLimits(), Self.caller("2001:db8::1"))
        for _ in 0..<500 {
            #expect(limits.take(caller, at: start) == nil)
            limits.giveBack(caller, at: start)
        }
        for _ in 0..<10 { limits.giveBack(caller, at: start) }
        for _ in 0..<20 { #expect(limits.take(caller, at: start) == nil) }
        #expect(limits.take(caller, at: start) != nil)
    }

    @Test("a known browser has 20 attempts at once and 20 more each hour, for each person alone; a right one is given back")
    func known() {
        let (limits, ada, grace) = (SignInLimits(), ID<Person>(at: Date()), ID<Person>(at: Date()))
        for _ in 0..<100 {
            #expect(limits.takeKnown(ada, at: start))
            limits.giveBackKnown(ada, at: start)
        }
        for _ in 0..<20 { #expect(limits.takeKnown(ada, at: start)) }
        #expect(!limits.takeKnown(ada, at: start) && !limits.takeKnown(ada, at: start + .seconds(179)))
        #expect(limits.takeKnown(grace, at: start))
        for _ in 0..<20 { #expect(limits.takeKnown(ada, at: start + .seconds(3601))) }
        #expect(!limits.takeKnown(ada, at: start + .seconds(3601)))
    }

    @Test("a caller without an address is a network like others")
    func noAddress() {
        let limits = SignInLimits()
        for _ in 0..<20 { #expect(limits.take(RequestRecord(), at: start) == nil) }
        #expect(limits.take(RequestRecord(), at: start) != nil)
    }

    @Test("an address without an account waits as one with an account: 1 s, 2 s, 4 s, up to 15 minutes")
    func strangers() {
        let limits = SignInLimits()
        var now = date
        for _ in 0..<5 { #expect(limits.reserveStranger([1], at: now) == 0) }
        for failures in 5..<18 {
            let wait = min(TimeInterval(1 << (failures - 5)), 900)
            #expect(limits.reserveStranger([1], at: now) == wait, "\(failures)")
            // A refused attempt is not counted, and does not lengthen the wait.
            #expect(limits.reserveStranger([1], at: now.addingTimeInterval(wait - 0.5)) == 0.5)
            now += wait
            // Exactly at its end. After the longest one, the count begins again.
            #expect(limits.reserveStranger([1], at: now) == 0, "\(failures)")
            if wait == 900 { break }
        }
        for _ in 0..<4 { #expect(limits.reserveStranger([1], at: now) == 0) }
        #expect(limits.reserveStranger([1], at: now) == 1)
    }

    @Test("each address counts alone, and a failure counts for 15 minutes")
    func window() {
        let limits = SignInLimits()
        for _ in 0..<5 { #expect(limits.reserveStranger([1], at: date) == 0) }
        #expect(limits.reserveStranger([1], at: date) > 0)
        #expect(limits.reserveStranger([1, 0], at: date) == 0)
        #expect(limits.reserveStranger([], at: date) == 0)
        let later = date.addingTimeInterval(900)
        for _ in 0..<5 { #expect(limits.reserveStranger([1], at: later) == 0) }
        #expect(limits.reserveStranger([1], at: later) > 0)
    }

    @Test("many addresses at once take no more memory, and the time of the old ones frees theirs")
    func bounded() {
        func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
        let limits = SignInLimits()
        for _ in 0..<5 { _ = limits.reserveStranger(key(0), at: date) }
        for number in 1..<10_000 { _ = limits.reserveStranger(key(number), at: date) }
        #expect(limits.reserveStranger(key(0), at: date) > 0)
        // The 10,001st address is one too many. None of the others is old, so all are forgotten.
        _ = limits.reserveStranger(key(10_000), at: date)
        #expect(limits.reserveStranger(key(0), at: date) == 0)
    }
}
