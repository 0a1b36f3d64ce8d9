import Access
import Encoding
import HTTPTypes
import Hummingbird

/// The cookie that binds the pages of one device to the browser that saw the device.
///
/// Browsers attach it to the return from Apple, which is a navigation of the whole window, and to the forms of these pages. They attach it
/// to no form of another site (`SameSite=Lax`).
struct DeviceCookie {
    let name: String
    private let attributes: String

    /// The last part of an ID is random. The name does not have the form of an attempt's cookie.
    init(_ authorization: ID<DeviceAuthorization>, publicURL: String) {
        let isSecure = publicURL.begins(with: "https:")
        name = "\(isSecure ? "__Host-" : "")espalier-device-\(authorization.description.suffix(12))"
        attributes = "Path=/; HttpOnly;\(isSecure ? " Secure;" : "") SameSite=Lax"
    }

    func set(_ secret: String) -> String {
        "\(name)=\(secret); Max-Age=\(Int(DeviceAuthorization.lifetime)); \(attributes)"
    }

    var removal: String { "\(name)=; Max-Age=0; \(attributes)" }

    /// The values that the browser sends under this name, read by bytes.
    func values(in request: Request) -> [String] {
        request.headers[values: .cookie].flatMap { $0.parts(at: ";") }.compactMap { pair in
            let parts = pair.withoutBlanks.parts(at: "=", atMost: 2, includingEmpty: true)
            return parts.count == 2 && parts[0].isSame(as: name) && !parts[1].isEmpty ? String(parts[1]) : nil
        }
    }
}
