package import Access
import Crypto
import Encoding
package import Postgres

/// A logo that every browser can show without a risk: written again from the parts that its format may have.
package struct Logo: Sendable {
    package enum MediaType: String, CaseIterable, Encodable, Sendable {
        case png = "image/png"
        case svg = "image/svg+xml"
    }

    /// The reason for refusing an image, with the next step.
    package struct Refusal: Error {
        package let detail: String

        init(_ detail: String) {
            self.detail = detail
        }
    }

    /// The largest image in bytes, before and after it is written again.
    package static let largest = 256 * 1024

    let mediaType: MediaType
    let bytes: [UInt8]
    /// The SHA-256 of the bytes.
    let digest: [UInt8]

    /// - Throws: `Refusal` if the image is not safe or not one of this type.
    package init(_ image: [UInt8], as mediaType: MediaType) throws(Refusal) {
        guard image.count <= Self.largest else { throw Refusal("The image has more than \(Self.largest) bytes. Make it smaller.") }
        let safe: [UInt8] =
            switch mediaType {
            case .png: try PNGImage(image).bytes
            case .svg: try SVGImage(image).bytes
            }
        guard safe.count <= Self.largest else { throw Refusal("The image is too large when written again. Make it smaller.") }
        (self.mediaType, bytes, digest) = (mediaType, safe, Array(SHA256.hash(data: safe)))
    }

    var facts: Branding.LogoFacts { .init(mediaType: mediaType, digest: digest, size: bytes.count) }
}

// MARK: Rows

extension Logo {
    /// Stores the logo in place of an earlier one. `Branding.save` comes first, and notifies the processes.
    package func save(of tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO logo (tenant_id, media_type, digest, data) VALUES (\(tenant), \(mediaType.rawValue), \(digest), \(bytes))
        ON CONFLICT (tenant_id) DO UPDATE SET media_type = excluded.media_type, digest = excluded.digest, data = excluded.data
        """
    }

    static func remove(of tenant: ID<Tenant>) -> SQL {
        "DELETE FROM logo WHERE tenant_id = \(tenant)"
    }

    /// Selects the type and the bytes of the logo with this digest.
    /// - Parameter hash: The start of the digest in hexadecimal.
    static func find(_ hash: String, of tenant: ID<Tenant>) -> SQL {
        "SELECT media_type, data FROM logo WHERE tenant_id = \(tenant) AND left(encode(digest, 'hex'), 32) = \(hash)"
    }
}
