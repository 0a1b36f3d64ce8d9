import Encoding
import HTTPTypes
import NIOHTTP1

extension Problem {
    /// The error for a head that the parser has read; nil for a head that is passed on.
    ///
    /// RFC 9112, section 6.1: no `Transfer-Encoding` with HTTP/1.0, and no coding that the server does not know. Section 3.2: one valid
    /// `Host`, which HTTP/1.0 may leave out.
    init?(unusable head: HTTPRequestHead) {
        let (isOld, hosts, codings) = (head.version == .http1_0, head.headers["Host"], head.headers["Transfer-Encoding"])
        if isOld, !codings.isEmpty {
            self.init(.invalid, "Transfer-Encoding is not allowed with HTTP/1.0. Send Content-Length, or use HTTP/1.1.")
        } else if !codings.isEmpty, codings.count > 1 || !codings[0].asciiLowercased.isSame(as: "chunked") {
            self.init(.invalid, "The only Transfer-Encoding is `chunked`, in one header. Send the body without another coding.")
        } else if hosts.isEmpty {
            if isOld { return nil }
            self.init(.invalid, "The Host header is missing. Send one Host header with each request.")
        } else if hosts.count > 1 {
            self.init(.invalid, "The request has \(hosts.count) Host headers. Send one.")
        } else if !HostName.isHostWithPort(hosts[0]) {
            self.init(.invalid, "The Host header is invalid. Send a host name or an IP address, with an optional port.")
        } else if let target = HTTPRequest.authority(of: head.uri), !HostName.isSame(target, as: hosts[0]) {
            // A proxy may decide by one of them, and this server by the other.
            self.init(.invalid, "The request target and the Host header name different hosts. Send the same host in both.")
        } else {
            return nil
        }
    }

    /// The error for bytes that the parser cannot read as a request.
    init(unreadable error: HTTPParserError) {
        self.init(
            .invalid,
            error == .headerOverflow
                ? "The head of the request is too large. Send up to 80 KiB. In a browser, delete the cookies of this site."
                : "The request is not valid HTTP/1.1. Check the request line, the headers and the length of the body.")
    }
}
