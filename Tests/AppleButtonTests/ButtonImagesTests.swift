import Dispatch
import HTTPTypes
import Testing
import Web

@testable import AppleButton

@Suite("Cache of button images")
struct ButtonImagesTests {
    private static func record(_ address: String) -> RequestRecord {
        let record = RequestRecord()
        record.note(address: address)
        return record
    }

    @Test("an image is drawn once, and the cache forgets the image that was used longest ago")
    func cache() async throws {
        let images = ButtonImages(perMinute: 1000)
        let record = Self.record("192.0.2.1")
        func name(_ width: Int) -> ButtonImages.Name { .init(button: AppleButton(width: width), scale: nil) }
        let first = try await images.image(name(130), for: record)
        for width in 131..<130 + ButtonImages.most { _ = try await images.image(name(width), for: record) }
        #expect(images.kept.names.count == ButtonImages.most)
        // It is used again, so the next one takes the place of the second.
        #expect(try await images.image(name(130), for: record).tag.text == first.tag.text)
        _ = try await images.image(name(300), for: record)
        let kept = images.kept
        #expect(kept.names.count == ButtonImages.most && kept.names.isSuperset(of: [name(130), name(132), name(300)]))
        #expect(!kept.names.contains(name(131)))
        let bytes = kept.names.reduce(0) { $0 + $1.button.svg.utf8.count }
        #expect(kept.bytes == bytes && bytes <= ButtonImages.mostBytes)
    }

    @Test("SVG, PNG and each scale are different images, with different tags")
    func names() async throws {
        let images = ButtonImages(perMinute: 1000)
        let record = Self.record("192.0.2.1")
        var tags: Set<String> = []
        for scale in [nil, 1, 2] { tags.insert(try await images.image(.init(button: AppleButton(), scale: scale), for: record).tag.text) }
        #expect(tags.count == 3)
    }

    private static func draw(_ images: ButtonImages, _ width: Int, _ address: String, scale: Int? = nil) async throws {
        _ = try await images.image(.init(button: AppleButton(width: width), scale: scale), for: record(address))
    }

    /// The headers of a refusal. Nil if the image was drawn.
    private static func refusal(_ images: ButtonImages, _ width: Int, _ address: String) async throws -> HTTPFields? {
        let record = record(address)
        do {
            _ = try await images.image(.init(button: AppleButton(width: width), scale: nil), for: record)
            return nil
        } catch let problem as Problem {
            #expect(problem.code == .rateLimited && record.current.isCharged)
            return record.current.headers
        }
    }

    @Test("a network has a limit of drawings, which cached images and other networks do not use")
    func limit() async throws {
        let images = ButtonImages(perMinute: 3)
        for width in 130..<133 { try await Self.draw(images, width, "192.0.2.1") }
        let headers = try #require(try await Self.refusal(images, 133, "192.0.2.1"))
        #expect(headers[.retryAfter] == "20" && headers[.rateLimitPolicy] == "\"button\";q=3;w=60")
        #expect(headers[.rateLimit]?.hasPrefix("\"button\";r=0;t=") == true)
        for _ in 1...10 { try await Self.draw(images, 130, "192.0.2.1") }
        try await Self.draw(images, 133, "192.0.2.2")
        // A large image costs more.
        try await Self.draw(images, 134, "192.0.2.3", scale: 6)
        try await Self.draw(images, 135, "192.0.2.3", scale: 1)
        #expect(try await Self.refusal(images, 136, "192.0.2.3") != nil)
        // The networks of one /48 share a limit.
        for width in 140..<143 { try await Self.draw(images, width, "2001:db8:1:\(width)::1") }
        #expect(try await Self.refusal(images, 143, "2001:db8:1::1") != nil)
        #expect(try await Self.refusal(images, 143, "2001:db8:2::1") == nil)
    }

    @Test("all networks together have a limit")
    func limitOfAll() async throws {
        let images = ButtonImages(perMinute: 3, ofAll: 4)
        for number in 1...4 { try await Self.draw(images, 130 + number, "192.0.2.\(number)") }
        let headers = try #require(try await Self.refusal(images, 150, "192.0.2.5"))
        #expect(headers[.rateLimitPolicy] == "\"button-all\";q=4;w=60" && headers[.retryAfter] == "15")
    }

    @Test("an image is refused when too many wait to be drawn, and an image in the cache is not")
    func queue() async throws {
        let thread = WorkThread(mostWaiting: 0)
        let images = ButtonImages(thread: thread)
        try await Self.draw(images, 130, "192.0.2.1")
        let (started, release) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let blocked: Void = thread.run {
            started.continuation.finish()
            release.wait()
        }
        for await _ in started.stream {}
        let headers = try await Self.refusal(images, 131, "192.0.2.1")
        #expect(headers?[.retryAfter] == "1" && headers?[.rateLimit] != nil)
        try await Self.draw(images, 130, "192.0.2.1")
        release.signal()
        try await blocked
        try await Self.draw(images, 131, "192.0.2.1")
    }
}
