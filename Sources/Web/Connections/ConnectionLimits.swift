package import NIOCore

/// The limits of a connection: time, bytes and the number of connections. Without them a slow caller holds a connection for hours.
package struct ConnectionLimits: Sendable {
    /// How many connections are open at once.
    package var total: Int
    /// How many of them one caller's network may have (`CallerNetwork`); nil behind proxies, where all connections are the proxies'.
    package var perAddress: Int?
    /// The time for a whole request, from its first byte to its last. The start of a head that comes in one read with the end of the
    /// request before it does not start the clock. `idle` applies until its next byte comes.
    package var request: TimeAmount
    /// The lowest average rate of a body after `bodyGrace`, in bytes per second.
    package var bodyRate: Int
    /// The time that a body has before its rate counts: a bad mobile network stalls for seconds.
    package var bodyGrace: TimeAmount = .seconds(10)
    /// The time that a new connection has for its first byte.
    package var firstByte: TimeAmount = .seconds(10)
    /// The time that a connection is kept between requests. Also the time that an answer may stand still.
    package var idle: TimeAmount = .seconds(75)
    /// How many bytes of a body are read after its answer, to keep the connection.
    package var rest = 64 * 1024
    /// After the last answer: how many bytes, and for how long, the server still reads before it closes. A close with unread bytes
    /// resets the connection, and the caller may lose the answer (RFC 9112, section 9.6).
    package var lastBytes = 256 * 1024
    package var lastTime: TimeAmount = .seconds(2)

    package init(total: Int, perAddress: Int?, request: TimeAmount = .seconds(30), bodyRate: Int = 500) {
        (self.total, self.perAddress, self.request, self.bodyRate) = (total, perAddress, request, bodyRate)
    }
}
