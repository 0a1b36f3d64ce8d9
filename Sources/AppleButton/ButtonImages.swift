import Crypto
import HTTPTypes
import NIOCore
import Synchronization
import Web

/// The images that were drawn last, up to 64 images and 4 MiB.
///
/// Drawing the largest image takes milliseconds, and any caller may ask for it. So a thread of its own draws, and each network and all
/// networks together have a limit of drawn pixels. An image that is here costs nothing, because many users of one company may see the same
/// sign-in page.
final class ButtonImages: Sendable {
    struct Name: Hashable {
        let button: AppleButton
        /// Pixels per point. Nil for SVG.
        let scale: Int?
    }

    struct Image: Sendable {
        let body: ByteBuffer
        let tag: EntityTag
    }

    private struct State {
        var images: [Name: (image: Image, used: Int)] = [:]
        var bytes = 0
        var uses = 0
    }

    static let most = 64
    static let mostBytes = 4 << 20

    private let state = Mutex(State())
    private let networks, all: TokenBuckets<String>
    private let thread: WorkThread

    /// - Parameters:
    ///   - perMinute: The number of images of up to 100 000 pixels that a network may have drawn per minute.
    ///   - ofAll: The same for all networks together.
    init(perMinute: Int = 120, ofAll: Int = 1200, thread: WorkThread = WorkThread()) {
        (networks, all, self.thread) = (TokenBuckets(perMinute: perMinute), TokenBuckets(perMinute: ofAll), thread)
    }

    /// Returns an image, and draws it if necessary.
    /// - Throws: `Problem` if the network or all networks have had too many images drawn, or if too many wait.
    func image(_ name: Name, for record: RequestRecord) async throws -> Image {
        if let image = recent(name) { return image }
        let pixels = name.scale.map { name.button.width * name.button.height * $0 * $0 } ?? 0
        let cost = 1 + pixels / 100_000
        let level = networks.take(CallerNetwork.site(of: record.current.address), cost: cost, at: .now)
        guard level.isGranted else {
            throw refusal(level, "button", networks, record, "Too many different images were requested from this address.")
        }
        let ofAll = all.take("", cost: cost, at: .now)
        guard ofAll.isGranted else { throw refusal(ofAll, "button-all", all, record, "Too many different images were requested.") }
        let image: Image
        do {
            image = try await thread.run {
                let bytes = name.scale.map { name.button.png(scale: $0) } ?? Array(name.button.svg.utf8)
                return Image(body: ByteBuffer(bytes: bytes), tag: EntityTag(digest: Array(SHA256.hash(data: bytes).prefix(16))))
            }
        } catch is WorkThread.Full { throw refusal(ofAll, "button-all", all, record, "Too many images wait to be drawn.") }
        keep(image, name)
        return image
    }

    private func refusal(
        _ level: TokenBucketLevel, _ policy: String, _ limit: TokenBuckets<String>, _ record: RequestRecord, _ reason: String
    ) -> Problem {
        _ = record.refuse(level, policy, quota: limit.perMinute)
        // This limit has charged the request, so the one of failed requests does not.
        record.noteCharged()
        return Problem(.rateLimited, "\(reason) Retry after the seconds in `Retry-After`.")
    }

    /// The images that are here, and the sum of their bytes.
    var kept: (names: Set<Name>, bytes: Int) { state.withLock { (Set($0.images.keys), $0.bytes) } }

    private func recent(_ name: Name) -> Image? {
        state.withLock { state in
            state.uses += 1
            state.images[name]?.used = state.uses
            return state.images[name]?.image
        }
    }

    private func keep(_ image: Image, _ name: Name) {
        state.withLock { state in
            state.uses += 1
            // Two requests may have drawn the same image.
            guard state.images.updateValue((image, state.uses), forKey: name) == nil else { return }
            state.bytes += image.body.readableBytes
            while state.images.count > Self.most || state.bytes > Self.mostBytes {
                guard let oldest = state.images.min(by: { $0.value.used < $1.value.used })?.key,
                    let removed = state.images.removeValue(forKey: oldest)
                else { return }
                state.bytes -= removed.image.body.readableBytes
            }
        }
    }
}
