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
    func cache() throws {
        let images = ButtonImages(perMinute: 1000)
        let record = Self.record("192.0.2.1")
        func name(_ width: Int) -> ButtonImages.Name { .init(button: AppleButton(width: width), scale: nil) }
        let first = try images.image(name(130), for: record)
        for width in 131..<130 + ButtonImages.most { _ = try images.image(name(width), for: record) }
        #expect(images.kept.names.count == ButtonImages.most)
        // It is used again, so the next one takes the place of the second.
        #expect(try images.image(name(130), for: record).tag.text == first.tag.text)
        _ = try images.image(name(300), for: record)
        let kept = images.kept
        #expect(kept.names.count == ButtonImages.most && kept.names.isSuperset(of: [name(130), name(132), name(300)]))
        #expect(!kept.names.contains(name(131)))
        let bytes = kept.names.reduce(0) { $0 + $1.button.svg.utf8.count }
        #expect(kept.bytes == bytes && bytes <= ButtonImages.mostBytes)
    }

    @Test("SVG, PNG and each scale are different images, with different tags")
    func names() throws {
        let images = ButtonImages(perMinute: 1000)
        let record = Self.record("192.0.2.1")
        let tags = try [nil, 1, 2].map { try images.image(.init(button: AppleButton(), scale: $0), for: record).tag.text }
        #expect(Set(tags).count == 3)
    }

    @Test("a network has a limit of drawings, which cached images and other networks do not use")
    func limit() throws {
        let images = ButtonImages(perMinute: 3)
        func image(_ width: Int, _ address: String, scale: Int? = nil) throws {
            _ = try images.image(.init(button: AppleButton(width: width), scale: scale), for: Self.record(address))
        }
        for width in 130..<133 { try image(width, "192.0.2.1") }
        let problem = #expect(throws: Problem.self) { try image(133, "192.0.2.1") }
        #expect(problem?.code == .rateLimited && problem?.headers[.retryAfter] == "20")
        for _ in 1...10 { try image(130, "192.0.2.1") }
        try image(133, "192.0.2.2")
        // A large image costs more.
        try image(134, "192.0.2.3", scale: 6)
        try image(135, "192.0.2.3", scale: 1)
        #expect(throws: Problem.self) { try image(136, "192.0.2.3") }
    }
}
