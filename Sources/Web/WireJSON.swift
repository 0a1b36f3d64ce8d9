package import Foundation
package import HTTPTypes
package import Hummingbird
import NIOCore

extension JSONEncoder {
    /// How JSON leaves this server: RFC 3339 dates in UTC, slashes as they are. `JSONEncoder` holds no
    /// state between calls, so one serves all.
    package static let wire: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()
}

extension Response {
    /// An answer in JSON. `Cache-Control: no-store` unless told otherwise: most of what is said here is
    /// for one caller only.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, cacheControl: String = "no-store", headers: HTTPFields = [:]
    ) throws -> Response {
        let bytes = try JSONEncoder.wire.encode(value)
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.contentLength] = "\(bytes.count)"
        headers[.cacheControl] = cacheControl
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
