import Access
import Encoding
import Foundation
import Sessions
import Tenancy
import Users
import Web

/// The facts about a device that the pages show, for a person who decides.
struct DeviceFacts {
    let facts: [(name: String, value: String)]
    /// A warning about the place of the device, by its address. No sentence says that the device is near, because an attacker can be in the
    /// same network, and behind an unknown proxy all addresses are the proxy's.
    let place: String?

    /// In bytes. An attacker can write a sentence into a longer one.
    private static let longestUserAgent = 40

    init(
        _ device: DeviceAuthorization, _ code: UserCode, _ application: Application, of tenant: Tenant, _ context: WebContext, at now: Date
    ) {
        let (address, isFromServer) = (device.device.address ?? "an unknown address", application.kind.isConfidential)
        facts = [
            ("Code", code.text), ("Application", application.name), ("Organization", tenant.name),
            ("Requested from", isFromServer ? "the application's server, \(address)" : address),
            (
                isFromServer ? "The server's program, as it describes itself" : "Program, as it describes itself",
                Self.shown(device.device.userAgent)
            ),
            ("Requested", Self.ago(device.createdAt, now)),
        ]
        let networks = (RequestNetwork(public: device.device.address), RequestNetwork(public: context.record.current.address))
        place =
            if isFromServer {
                "The application's server made this request, so this page cannot show where the device is."
            } else if let own = networks.1, networks.0?.differs(from: own) == true {
                "The request came from another network than this browser's. If you expect the device to be in the same network, refuse."
            } else {
                nil
            }
    }

    /// A user agent proves nothing, because the device states it. It is ASCII, so no letter looks like another one.
    private static func shown(_ userAgent: String?) -> String {
        guard let userAgent else { return "unknown" }
        return "“" + String(decoding: userAgent.utf8.prefix(longestUserAgent), as: UTF8.self)
            + (userAgent.utf8.count > longestUserAgent ? "…" : "") + "”"
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
