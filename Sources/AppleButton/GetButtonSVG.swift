import Hummingbird
import Web

extension ButtonRoutes {
    /// The button as SVG, sharp in every size.
    @Sendable
    func getButtonSVG(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try ButtonQuery(request.uri.query ?? "", hasScale: false)
        let image = try await images.image(.init(button: query.button, scale: nil), for: context.record)
        return response(to: request, image, type: "image/svg+xml; charset=utf-8")
    }
}
