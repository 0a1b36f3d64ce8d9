package import NIOCore

/// The limits of a connection: time, bytes, and the number of connections. Without them, a slow caller occupies a connection for
/// hours.
package struct ConnectionLimits: Sendable {
    /// The maximum number of open connections.
    package var total: Int
    /// The maximum number per caller network (`CallerNetwork`). Nil behind proxies, because all connections are the proxies'.
    package var perAddress: Int?
    /// The time for a whole request, from its first byte to its last.
    ///
    /// If the start of a head arrives in one read with the end of the previous request, it does not start the clock. `idle` applies
    /// until its next byte arrives.
    package var request: TimeAmount
    /// The lowest average rate of a body after `bodyGrace`, in bytes per second.
    package var bodyRate: Int
    /// The time before the rate of a body counts, because a bad mobile network stalls for seconds.
    package var bodyGrace: TimeAmount = .seconds(10)
    /// The time that a new connection has for its first byte.
    package var firstByte: TimeAmount = .seconds(10)
    /// The time that a connection stays open between requests. Also the longest pause of a response.
    package var idle: TimeAmount = .seconds(75)
    /// The maximum number of body bytes that are read after the response, so that the connection stays open.
    package var rest = 64 * 1024
    /// The maximum number of requests that a connection sends in advance. Those after them are not processed, and the connection ends.
    package var inAdvance = 64
    /// The maximum number of bytes that one read takes. All requests in them are parsed at once.
    package var read = 16 * 1024
    /// The number of bytes that the kernel takes in advance of what it sends. Without this limit, it takes up to 4 MB. Then a caller that
    /// reads slowly seems to read nothing for minutes.
    package var unsent = 128 * 1024
    /// The bytes and the time that the server still reads after the last response before it closes. A close with unread bytes
    /// resets the connection, and the caller may lose the response (RFC 9112, section 9.6).
    package var lastBytes = 256 * 1024
    package var lastTime: TimeAmount = .seconds(2)

    package init(total: Int, perAddress: Int?, request: TimeAmount = .seconds(30), bodyRate: Int = 500) {
        (self.total, self.perAddress, self.request, self.bodyRate) = (total, perAddress, request, bodyRate)
    }
}
