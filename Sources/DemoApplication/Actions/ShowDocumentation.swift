import HTTPTypes
import Hummingbird
import Web

extension DemoRoutes {
    /// `GET /docs/…`: sends a file of the documentation site. A folder's page is its `index.html`.
    @Sendable
    func showDocumentation(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard documentation.isBuilt else { throw Refusal.missingDocumentation(folder: documentation.folder) }
        let path = request.uri.path
        guard path.utf8.starts(with: "/docs".utf8) else { throw Refusal.unknownPage }
        switch documentation.entry(at: String(Substring(path.utf8.dropFirst("/docs".utf8.count)))) {
        case .file(let file): return try await send(file, context)
        // The path starts with /docs, so the redirect cannot lead to another host.
        case .folderWithoutSlash: return .redirect(to: "\(path)/\(request.uri.query.map { "?\($0)" } ?? "")", type: .temporary)
        case nil: throw Refusal.unknownPage
        }
    }

    /// Sends a file as it is now. Nothing is cached, so a new build appears at once.
    func send(_ file: String, _ context: BasicRequestContext) async throws -> Response {
        let body = try await FileIO().loadFile(path: file, context: context)
        var headers: HTTPFields = [.contentType: ContentType.ofFile(file), .cacheControl: "no-store"]
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        return Response(status: .ok, headers: headers, body: body)
    }
}
