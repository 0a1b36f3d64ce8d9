import Encoding
import Foundation
import Sessions
import Tenancy
import Users
import Web

/// The facts about a device that the pages show, for a person who decides.
struct DeviceFacts {
    let facts: [(name: String, value: String)]
    /// A sentence about the place of the device, by its address.
    let place: String

    /// In bytes.
    private static let longestUserAgent = 120

    init(_ device: DeviceAuthorization, _ code: UserCode, _ application: Application, _ context: WebContext, at now: Date) {
        let address = device.device.address
        facts = [
            ("Code", code.text), ("Application", application.name), ("Requested from", address ?? "an unknown address"),
            ("Device or program", Self.shown(device.device.userAgent)), ("Requested", Self.ago(device.createdAt, now)),
        ]
        let isNear = address != nil && CallerNetwork.of(address).isSame(as: CallerNetwork.of(context.record.current.address))
        place =
            if application.kind.isConfidential {
                "The application's server made this request, so its address does not show where the device is."
            } else if isNear {
                "The request came from the same network as this browser."
            } else {
                "The request came from another network than this browser's. If you expect the device to be in the same network, refuse."
            }
    }

    /// A user agent proves nothing, because the device states it. It is ASCII, so no letter looks like another one.
    private static func shown(_ userAgent: String?) -> String {
        guard let userAgent else { return "unknown" }
        return String(decoding: userAgent.utf8.prefix(longestUserAgent), as: UTF8.self)
            + (userAgent.utf8.count > longestUserAgent ? "…" : "")
    }

    private static func ago(_ time: Date, _ now: Date) -> String {
        let minutes = Int(max(0, now.timeIntervalSince(time)) / 60)
        switch minutes {
        case 0: return "less than 1 minute ago"
        case 1: return "1 minute ago"
        default: return "\(minutes) minutes ago"
        }
    }

    /// The user's name and address, for the user.
    static func name(of user: User) -> String {
        let name = [user.givenName, user.familyName].compactMap(\.self).joined(separator: " ")
        guard let email = user.email else { return name.isEmpty ? "your Apple account" : name }
        return name.isEmpty ? email : "\(name) (\(email))"
    }
}
