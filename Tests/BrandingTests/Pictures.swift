import AsyncHTTPClient
import CZlib
import Foundation
import NIOCore
import NIOHTTP1
import Server
import TestSupport

/// Pictures for tests.
enum Pictures {
    static let square = svg(##"<path fill="#0a7d5c" d="M0 0h24v24H0z"/>"##)

    /// An SVG with this content.
    static func svg(_ content: String, root: String = #"viewBox="0 0 24 24""#) -> String {
        #"<svg xmlns="http://www.w3.org/2000/svg" \#(root)>\#(content)</svg>"#
    }

    /// The chunks of a PNG, which can be changed before they are written.
    struct PNG {
        var chunks: [(type: String, data: [UInt8])]

        /// A picture of one color, with 8 bits and 4 channels per pixel unless another form is given.
        init(width: Int = 3, height: Int = 2, depth: UInt8 = 8, color: UInt8 = 6, interlace: UInt8 = 0, pixels: [UInt8]? = nil) {
            let lines = pixels ?? Array(repeating: [0] + Array(repeating: 0x7F, count: width * 4), count: height).flatMap(\.self)
            chunks = [
                ("IHDR", big(width) + big(height) + [depth, color, 0, 0, interlace]), ("IDAT", deflated(lines)), ("IEND", []),
            ]
        }

        var bytes: [UInt8] {
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks.flatMap { chunk($0.type, $0.data) }
        }

        /// The signature and the header.
        var start: [UInt8] { Array(bytes.prefix(33)) }

        /// The same with another chunk before one of this type.
        func adding(_ type: String, _ data: [UInt8], before next: String = "IDAT") -> PNG {
            var copy = self
            copy.chunks.insert((type, data), at: chunks.firstIndex { $0.type == next } ?? 0)
            return copy
        }

        func replacing(_ type: String, _ data: [UInt8]) -> PNG {
            var copy = self
            for index in chunks.indices where chunks[index].type == type { copy.chunks[index].data = data }
            return copy
        }

        func removing(_ type: String) -> PNG {
            var copy = self
            copy.chunks.removeAll { $0.type == type }
            return copy
        }
    }

    static func chunk(_ type: String, _ data: [UInt8], checksum: UInt32? = nil) -> [UInt8] {
        let content = Array(type.utf8) + data
        return big(data.count) + content + big(Int(checksum ?? UInt32(truncatingIfNeeded: crc32(0, content, UInt32(content.count)))))
    }

    static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

    /// The bytes as a zlib stream.
    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var size = compressBound(UInt(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(size))
        precondition(compress2(&compressed, &size, bytes, UInt(bytes.count), 9) == Z_OK)
        return Array(compressed.prefix(Int(size)))
    }
}

/// A response with its bytes.
struct BinaryAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let bytes: [UInt8]

    var json: [String: any Sendable] {
        (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: any Sendable]) ?? [:]
    }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension TestPlatform {
    /// Sends bytes, and returns bytes.
    func send(
        _ method: String, _ path: String, _ body: [UInt8]? = nil, headers: [(String, String)] = [], at server: String? = nil
    ) async throws -> BinaryAnswer {
        var request = HTTPClientRequest(url: (server ?? address) + path)
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = Array(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        let named = Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        return BinaryAnswer(status: Int(response.status.code), headers: named, bytes: bytes)
    }

    /// Sets a tenant's logo.
    func setLogo(
        _ bytes: [UInt8], as type: String = "image/png", of slug: String = "acme", key: String? = nil, headers: [(String, String)] = []
    ) async throws -> BinaryAnswer {
        let key = key ?? seeded.api_keys[0].secret
        return try await send(
            "PUT", "/v1/tenants/\(slug)/branding/logo", bytes,
            headers: [("Authorization", "Bearer \(key)"), ("Content-Type", type)] + headers)
    }

    func setLogo(svg: String, of slug: String = "acme", key: String? = nil) async throws -> BinaryAnswer {
        try await setLogo(Array(svg.utf8), as: "image/svg+xml", of: slug, key: key)
    }
}

extension BinaryAnswer {
    /// The path of the logo in a branding.
    var logoPath: String {
        let url = (json["logo"] as? [String: any Sendable])?["url"] as? String ?? ""
        return String(url.dropFirst(TestPlatform.publicURL.count))
    }
}

extension TestBrowser.Answer {
    /// Whether it is a 400 that names the field.
    func refuses(_ field: String) -> Bool {
        status == 400 && (json["errors"] as? [[String: any Sendable]] ?? []).contains { $0["field"] as? String == field }
    }
}
