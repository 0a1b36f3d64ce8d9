import NIOCore
import Synchronization

/// The bytes of the logos that this process has sent, up to a number of bytes.
///
/// An entry never becomes outdated, because its path contains the hash of its bytes. Callers that miss the same path at the same time wait
/// for one load.
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
        var loads: [String: Task<Image?, any Error>] = [:]
    }

    /// Room for 64 logos of the largest size, and for a thousand of a usual one.
    private static let capacity = 64 * Logo.largest
    private let state = Mutex(State())

    /// Returns the image of a path. `read` gets it if it is not here. Nothing is remembered if there is none.
    func find(_ path: String, _ read: @escaping @Sendable () async throws -> Image?) async throws -> Image? {
        enum Found {
            case image(Image)
            case load(Task<Image?, any Error>)
        }
        let found: Found = state.withLock { state in
            if let image = state.images[path] { return .image(image) }
            if let load = state.loads[path] { return .load(load) }
            // A task of its own, so that a caller that gives up does not end the load for the others.
            let load = Task {
                do {
                    let image = try await read()
                    self.end(path, image)
                    return image
                } catch {
                    self.end(path, nil)
                    throw error
                }
            }
            state.loads[path] = load
            return .load(load)
        }
        return switch found {
        case .image(let image): image
        case .load(let load): try await load.value
        }
    }

    /// Ends a load, and keeps its image.
    private func end(_ path: String, _ image: Image?) {
        state.withLock { state in
            state.loads[path] = nil
            guard let image, state.images.updateValue(image, forKey: path) == nil else { return }
            state.paths.append(path)
            state.size += image.bytes.readableBytes
            while state.size > Self.capacity {
                state.size -= state.images.removeValue(forKey: state.paths.removeFirst())?.bytes.readableBytes ?? 0
            }
        }
    }
}
