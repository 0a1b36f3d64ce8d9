import Encoding
import HTTPTypes
package import Hummingbird
package import Web

/// The Sign in with Apple button as an image, for pages of applications. Anyone may show it.
package struct ButtonRoutes: Sendable {
    let images = ButtonImages()

    package init() {}

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.on(.get, "button.svg", "getButtonSVG", use: getButtonSVG)
        routes.on(.get, "button.png", "getButtonPNG", use: getButtonPNG)
        return routes
    }

    func response(to request: Request, _ image: ButtonImages.Image, type: String) -> Response {
        // A day, because the address stays the same when a new version of Espalier draws the button in another way.
        var headers: HTTPFields = [
            .eTag: image.tag.text, .cacheControl: "public, max-age=86400",
            // Pages of all sites show the image and may read it, for example to draw it on a canvas.
            .accessControlAllowOrigin: "*", .crossOriginResourcePolicy: "cross-origin",
            // An SVG that a browser opens as a page can load and run nothing.
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        if request.names(image.tag) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = type
        headers[.contentLength] = "\(image.body.readableBytes)"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: image.body))
    }
}

extension Request {
    /// Whether the caller has this version (RFC 9110, section 13.1.2). A proxy that compresses may have made the tag weak.
    fileprivate func names(_ tag: EntityTag) -> Bool {
        headers[values: .ifNoneMatch].flatMap(\.listElements).contains { given in
            given.isSame(as: "*") || given.isSame(as: tag.text) || given.isSame(as: "W/" + tag.text)
        }
    }
}

extension HTTPField.Name {
    fileprivate static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}
