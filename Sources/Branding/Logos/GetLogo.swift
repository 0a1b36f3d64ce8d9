import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Pages
import Postgres
import Tenancy
import Web

extension BrandingRoutes {
    /// Returns a tenant's logo for browsers. The URL contains its hash, so every copy may be kept for a year.
    ///
    /// The configuration in memory has the hash, so no other URL costs a read of the bytes. A suspended tenant has a logo too, because its
    /// users see a page.
    @Sendable
    func getLogo(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let slug = context.parameters.get("tenant"), let hash = context.parameters.get("hash"),
            let found = try await endpoints.find(slug: slug, context),
            found.tenant.status == .active || found.tenant.status == .suspended,
            let path = found.brand.logo, path.isSame(as: Branding.path(ofLogo: hash, slug: found.tenant.slug))
        else { throw Self.noLogo }
        context.record.note(tenant: found.tenant.slug)

        let tag = "\"\(hash)\""
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: "public, max-age=31536000, immutable",
            // For a person who opens the image itself: an SVG is a document then.
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ]
        if let known = request.headers[.ifNoneMatch]?.listElements, known.has(tag) || known.has("W/\(tag)") || known.has("*") {
            return Response(status: .notModified, headers: headers)
        }
        guard let logo = try await logos.find(path, { try await read(hash, of: found.tenant.id) }) else { throw Self.noLogo }
        headers[.contentType] = logo.mediaType.rawValue
        headers[.contentLength] = "\(logo.bytes.readableBytes)"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: logo.bytes))
    }

    private func read(_ hash: String, of tenant: ID<Tenant>) async throws -> LogoCache.Image? {
        // It only reads.
        try await OwnerDatabase(logins, tenant: tenant).repeatable.run(Logo.find(hash, of: tenant)).first { row in
            guard let type = Logo.MediaType(rawValue: try row.get("media_type")) else { return nil }
            return LogoCache.Image(mediaType: type, bytes: ByteBuffer(bytes: try row.get("data", as: [UInt8].self)))
        } ?? nil
    }

    private static let noLogo = Problem(
        .notFound, "The tenant has no logo at this URL. It may have been replaced or removed. Load the page again for the current one.")
}
