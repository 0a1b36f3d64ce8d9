package import Hummingbird
package import NIOCore

/// A body that is slower than `ConnectionLimits` allow. `RequestGuard` ends the body with this error. `Edge` responds with 408 under
/// the request's operation and ID, and nothing charges it to the address.
struct SlowBody: Error {
    let problem: Problem
}

extension SlowBody: HTTPResponseError {
    var status: HTTPResponse.Status { problem.code.status }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let record = (context as? any RecordedContext)?.record
        record?.note(outcome: problem.code.rawValue)
        return problem.response(instance: request.uri.path, requestID: record?.current.requestID ?? "")
    }
}

extension RequestBody {
    /// Reads the whole body.
    /// - Throws: `NIOTooManyBytesError` past the limit in bytes, answered with 413; `SlowBody`, answered with 408; `Problem` (400) for a
    ///   body that ended too early.
    package func whole(upTo limit: Int) async throws -> ByteBuffer {
        do {
            return try await collect(upTo: limit)
        } catch {
            if error is NIOTooManyBytesError || error is SlowBody { throw error }
            throw Problem(.invalid, "The body ended too early. Send the number of bytes in Content-Length, or all chunks.")
        }
    }
}
