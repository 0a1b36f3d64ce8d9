import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

extension HTTPClient {
    /// Makes one exchange within 15 s. Espalier itself waits 10 s for Apple.
    /// - Throws: ``Refusal/unreachable(_:)`` without a complete response of at most 1 MiB.
    func answer(to request: HTTPClientRequest) async throws -> (status: HTTPResponseStatus, body: Data) {
        do {
            let response = try await execute(request, timeout: .seconds(15))
            return (response.status, Data(buffer: try await response.body.collect(upTo: 1 << 20)))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Refusal.unreachable(request.url)
        }
    }
}
