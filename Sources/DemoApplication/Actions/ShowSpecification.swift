import Foundation
import Hummingbird

extension DemoRoutes {
    /// `GET /openapi.yaml`: sends the specification of Espalier's REST API.
    @Sendable
    func showSpecification(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard FileManager.default.isReadableFile(atPath: documentation.specification)
        else { throw Refusal.missingSpecification(file: documentation.specification) }
        return try await send(documentation.specification, context)
    }
}
