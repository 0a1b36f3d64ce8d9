package import Encoding
package import Hummingbird
import NIOCore

extension Form {
    /// Reads a posted form.
    /// - Throws: `Refusal`; the errors of `RequestBody.whole` for a body that is too large (413) or too slow (408).
    package init(_ body: RequestBody, upTo limit: Int, repeatable: Set<String> = []) async throws {
        let buffer: ByteBuffer
        do {
            buffer = try await body.whole(upTo: limit)
        } catch is Problem {
            throw Refusal.unreadable
        }
        try self.init(String(buffer: buffer), repeatable: repeatable)
    }
}
