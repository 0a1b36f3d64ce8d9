import Encoding
package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
    /// Returns a response in JSON. By default, it has `Cache-Control: no-store`, because most responses are for one
    /// caller only.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, cacheControl: String = "no-store", headers: HTTPFields = [:]
    ) throws -> Response {
        let bytes = try JSONWriter.encode(value)
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.contentLength] = "\(bytes.count)"
        headers[.cacheControl] = cacheControl
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
