package import Encoding
package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
    /// Returns a response in JSON. By default, it has `Cache-Control: no-store`, because most responses are for one
    /// caller only.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, cacheControl: String = "no-store", headers: HTTPFields = [:]
    ) throws -> Response {
        json(try JSONWriter.encode(value), status: status, cacheControl: cacheControl, headers: headers)
    }

    /// The same without an encoder.
    package static func json(
        _ value: some JSONWritable, status: HTTPResponse.Status = .ok, cacheControl: String = "no-store", headers: HTTPFields = [:]
    ) throws -> Response {
        json(try JSONWriter.encode(value), status: status, cacheControl: cacheControl, headers: headers)
    }

    private static func json(_ bytes: [UInt8], status: HTTPResponse.Status, cacheControl: String, headers: HTTPFields) -> Response {
        var headers = headers
        headers.reserveCapacity(headers.count + 8)
        headers.set(jsonType)
        headers.set(HTTPField(name: .contentLength, value: String(bytes.count)))
        headers.set(HTTPField(name: .cacheControl, value: cacheControl))
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

private let jsonType = HTTPField(name: .contentType, value: "application/json")
