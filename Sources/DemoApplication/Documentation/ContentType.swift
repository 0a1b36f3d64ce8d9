/// The media type of a file of the documentation, by the end of its name.
enum ContentType {
    static func ofFile(_ path: String) -> String {
        guard let end = path.utf8.split(separator: UInt8(ascii: "/")).last?.split(separator: UInt8(ascii: ".")).last
        else { return unknown }
        return types[String(Substring(end))] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "json": "application/json", "map": "application/json", "xml": "application/xml", "txt": "text/plain; charset=utf-8",
        // RFC 9512.
        "yaml": "application/yaml",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "ico": "image/x-icon", "woff2": "font/woff2",
        "gz": "application/gzip",
    ]
}
