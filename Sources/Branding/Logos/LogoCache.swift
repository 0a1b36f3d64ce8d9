import NIOCore
import Synchronization

/// The bytes of the logos that this process has sent, up to a number of bytes.
///
/// An entry never becomes outdated, because its path contains the hash of its bytes.
final class LogoCache: Sendable {
    struct Image: Sendable {
        let mediaType: Logo.MediaType
        let bytes: ByteBuffer
    }

    private struct State {
        var images: [String: Image] = [:]
        /// The paths in the order of their arrival.
        var paths: [String] = []
        var size = 0
    }

    /// Room for 64 logos of the largest size, and for a thousand of a usual one.
    private static let capacity = 64 * Logo.largest
    private let state = Mutex(State())

    /// Returns the image of a path. `read` gets it if it is not here. Nothing is remembered if there is none.
    func find(_ path: String, _ read: () async throws -> Image?) async rethrows -> Image? {
        if let image = state.withLock({ $0.images[path] }) { return image }
        guard let image = try await read() else { return nil }
        state.withLock { state in
            guard state.images.updateValue(image, forKey: path) == nil else { return }
            state.paths.append(path)
            state.size += image.bytes.readableBytes
            while state.size > Self.capacity {
                state.size -= state.images.removeValue(forKey: state.paths.removeFirst())?.bytes.readableBytes ?? 0
            }
        }
        return image
    }
}
