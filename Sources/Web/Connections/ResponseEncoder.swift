import Encoding
import Foundation
import HTTPTypes
import NIOCore
import Synchronization

/// Writes responses as the bytes of HTTP/1.1 (RFC 9112).
final class ResponseEncoder: ChannelOutboundHandler {
    typealias OutboundIn = ResponsePart
    typealias OutboundOut = ByteBuffer

    /// A larger body is not copied behind its head.
    private static let smallBody = 16 * 1024

    private var framing = ResponsePart.Framing.none

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = context.channel.allocator.buffer(capacity: 0)
        switch unwrapOutboundIn(data) {
        case .whole(let head, var body):
            if head.framing == .none { body.clear() }
            let isSmall = body.readableBytes <= Self.smallBody
            bytes.write(head, bodyRoom: isSmall ? body.readableBytes : 0)
            if isSmall { bytes.writeBuffer(&body) }
            context.write(wrapOutboundOut(bytes), promise: promise)
            if !isSmall { context.write(wrapOutboundOut(body), promise: nil) }
        case .head(let head):
            framing = head.framing
            bytes.write(head)
            context.write(wrapOutboundOut(bytes), promise: promise)
        case .body(let body):
            // An empty chunk would end the body.
            guard framing != .none, body.readableBytes > 0 else { return promise?.succeed() ?? () }
            guard framing == .chunked else { return context.write(wrapOutboundOut(body), promise: promise) }
            bytes.writeString(String(body.readableBytes, radix: 16) + "\r\n")
            context.write(wrapOutboundOut(bytes), promise: nil)
            context.write(wrapOutboundOut(body), promise: nil)
            context.write(wrapOutboundOut(ByteBuffer(string: "\r\n")), promise: promise)
        case .end(let trailers):
            guard framing == .chunked else { return promise?.succeed() ?? () }
            bytes.writeString("0\r\n")
            for field in trailers { bytes.writeString("\(field.name.rawName): \(field.value)\r\n") }
            bytes.writeString("\r\n")
            context.write(wrapOutboundOut(bytes), promise: promise)
        // No bytes, so the promise is kept when all earlier ones are sent.
        case .last: context.write(wrapOutboundOut(bytes), promise: promise)
        }
    }
}

extension ByteBuffer {
    /// Writes the status line and the fields of a response, and reserves room for the first bytes of the body.
    fileprivate mutating func write(_ head: ResponsePart.Head, bodyRoom: Int = 0) {
        let (date, status, fields) = (CurrentDate.text, head.fields.status, head.fields.headerFields)
        var room = 128 + status.reasonPhrase.utf8.count + date.utf8.count
        for field in fields { room += field.name.rawName.utf8.count + field.value.utf8.count + 4 }
        reserveCapacity(minimumWritableBytes: room + bodyRoom)
        writeWithUnsafeMutableBytes(minimumWritableBytes: room) { bytes in
            var place = Place(next: bytes.baseAddress!)
            place.put("HTTP/1.1 ")
            place.put(String(status.code))
            place.put(" ")
            place.put(status.reasonPhrase)
            place.put("\r\nDate: ")
            place.put(date)
            place.put("\r\n")
            for field in fields where status.mayHaveBody || field.name != .contentLength {
                place.put(field.name.rawName)
                place.put(": ")
                place.put(field.value)
                place.put("\r\n")
            }
            if head.framing == .chunked { place.put("Transfer-Encoding: chunked\r\n") }
            if head.isLast { place.put("Connection: close\r\n") } else if head.isOld { place.put("Connection: keep-alive\r\n") }
            place.put("\r\n")
            return place.next - bytes.baseAddress!
        }
    }

    /// The place of the next byte, within room for all of them.
    private struct Place {
        var next: UnsafeMutableRawPointer

        mutating func put(_ text: String) {
            var text = text
            next += text.withUTF8 { text in
                UnsafeMutableRawBufferPointer(start: next, count: text.count).copyMemory(from: UnsafeRawBufferPointer(text))
                return text.count
            }
        }
    }
}

/// The text of the current second. Each response contains it (RFC 9110, section 6.6.1).
private enum CurrentDate {
    private static let latest = Mutex((second: -1, text: ""))

    static var text: String {
        let second = Int(Date().timeIntervalSince1970)
        return latest.withLock { latest in
            if latest.second != second { latest = (second, HTTPDate.text(second)) }
            return latest.text
        }
    }
}
