import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import Web

@Suite("Entity tag")
struct EntityTagTests {
    private func request(_ ifMatch: String?) -> Request {
        var headers = HTTPFields()
        headers[.ifMatch] = ifMatch
        return Request(
            head: HTTPRequest(method: .patch, scheme: nil, authority: nil, path: "/", headerFields: headers), body: .init(buffer: .init()))
    }

    @Test("a time has the same tag before and after the database rounds it")
    func rounding() {
        for step in 0..<10_000 {
            let written = Date(timeIntervalSince1970: 1_790_000_000 + Double(step) * 0.000_000_13)
            let microseconds = (written.timeIntervalSinceReferenceDate * 1_000_000).rounded()
            #expect(EntityTag(written).text == EntityTag(Date(timeIntervalSinceReferenceDate: microseconds / 1_000_000)).text)
        }
    }

    @Test("each change has a new tag, even if the clock stands still or goes back")
    func growth() {
        var last = Date(timeIntervalSince1970: 1_790_000_000.123_456)
        var tags: Set<String> = [EntityTag(last).text]
        for step in 0..<1000 {
            last = last.addingTimeInterval(step.isMultiple(of: 2) ? 0 : -5).asChange(after: last)
            #expect(tags.insert(EntityTag(last).text).inserted)
        }
    }

    @Test("If-Match must name the current version")
    func match() throws {
        let tag = EntityTag(Date())
        for given in [nil, "*", tag.text, "\"x\", \(tag.text)", "\(tag.text),\"x\""] { try request(given).requireMatch(tag) }
        // A weak tag matches nothing (RFC 9110, section 8.8.3.2).
        for given in ["", "\"x\"", "W/\(tag.text)", String(tag.text.dropFirst().dropLast()), "*, *"] {
            let problem = try #require(throws: Problem.self) { try request(given).requireMatch(tag) }
            #expect(problem.code == .preconditionFailed)
        }
        let missing = try #require(throws: Problem.self) { try request(nil).requireMatch(tag, isRequired: true) }
        #expect(missing.code == .preconditionRequired)
    }
}
