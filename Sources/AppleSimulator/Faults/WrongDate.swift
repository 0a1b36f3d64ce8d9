import Foundation
import NIOCore

/// Changes the `Date` of one outgoing response. The HTTP server writes its own date into every head at the end, so it cannot
/// be changed earlier.
final class WrongDate: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var date: String?

    private init(_ date: String) {
        self.date = date
    }

    /// - Parameter date: The `Date` of the next response over this connection.
    static func send(_ date: Date, over channel: any Channel) async throws {
        let text = format(date)
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(WrongDate(text), position: .first)
        }.get()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let date, case .byteBuffer(var buffer) = unwrapOutboundIn(data),
            let header = String(buffer: buffer).range(of: "\r\ndate: ", options: .caseInsensitive)
        else { return context.write(data, promise: promise) }
        // A head is ASCII, and all dates have the same length.
        let offset = String(buffer: buffer)[..<header.upperBound].utf8.count
        buffer.setString(date, at: buffer.readerIndex + offset)
        self.date = nil
        context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: promise)
    }

    /// RFC 9110, section 5.6.7.
    private static func format(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
