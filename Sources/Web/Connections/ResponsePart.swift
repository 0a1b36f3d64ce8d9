import HTTPTypes
import NIOCore

/// A part of a response on its way to the connection.
enum ResponsePart {
    /// A response whose body is in memory.
    case whole(Head, ByteBuffer)
    case head(Head)
    case body(ByteBuffer)
    /// The end of a body, with fields that are known only now (RFC 9110, section 6.5). Only a chunked body can have some.
    case end(HTTPFields)
    /// No response follows, because no request does.
    case last

    struct Head {
        let fields: HTTPResponse
        let framing: Framing
        /// Whether the request was HTTP/1.0, which ends the connection by default.
        let isOld: Bool
        /// Whether the connection ends after this response.
        var isLast: Bool

        init(_ fields: HTTPResponse, _ framing: Framing, isOld: Bool = false, isLast: Bool) {
            (self.fields, self.framing, self.isOld, self.isLast) = (fields, framing, isOld, isLast)
        }

        /// - Parameter isHead: Whether the request asked only for the head.
        init(_ fields: HTTPResponse, toHead isHead: Bool, isOld: Bool) {
            let framing: Framing =
                if isHead || !fields.status.mayHaveBody {
                    .none
                } else if fields.headerFields.contains(.contentLength) {
                    .length
                } else {
                    isOld ? .close : .chunked
                }
            self.init(fields, framing, isOld: isOld, isLast: framing == .close)
        }
    }

    /// How the caller finds the end of the body (RFC 9112, section 6.3).
    enum Framing {
        /// The response has no body. Its fields may say otherwise.
        case none
        case length
        case chunked
        /// The connection ends with the body. Only for HTTP/1.0, which has no chunks.
        case close
    }
}

extension HTTPResponse.Status {
    /// RFC 9110, sections 15.2, 15.3.5 and 15.4.5.
    var mayHaveBody: Bool { code >= 200 && code != 204 && code != 304 }
}
