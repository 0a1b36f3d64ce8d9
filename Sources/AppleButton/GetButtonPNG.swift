import Hummingbird
import Web

extension ButtonRoutes {
    /// The button as PNG, for mail and for programs that do not read SVG.
    @Sendable
    func getButtonPNG(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try ButtonQuery(request.uri.query ?? "", hasScale: true)
        let image = try await images.image(.init(button: query.button, scale: query.scale), for: context.record)
        return response(to: request, image, type: "image/png")
    }
}
