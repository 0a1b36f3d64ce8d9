import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

extension HTTPClient {
    /// One exchange within 15 seconds: Espalier itself gives Apple ten.
    /// - Throws: ``Refusal/unreachable(_:)``, when there is no whole answer of at most 1 MiB.
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
