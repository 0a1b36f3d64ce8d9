import Access
import Encoding
package import Foundation
package import Pages
import Sessions
import Tenancy
import Users
import Web

/// The facts about a device that the pages show, for a person who decides.
package struct DeviceFacts {
    let facts: [(name: String, value: String)]
    /// A warning about the place of the device, by its address. No sentence says that the device is near, because an attacker can be in the
    /// same network, and behind an unknown proxy all addresses are the proxy's.
    let place: String?

    /// In bytes. An attacker can write a sentence into a longer one.
    private static let longestUserAgent = 40

    init(
        _ device: DeviceAuthorization, _ code: UserCode, _ application: Application, of tenant: Tenant, in language: Language,
        _ context: WebContext, at now: Date
    ) {
        let (address, isFromServer) = (device.device.address ?? language.text(.unknownAddress), application.kind.isConfidential)
        let named: [(Text, String)] = [
            (.code, code.text), (.application, application.name), (.organization, tenant.name),
            (.requestedFrom, isFromServer ? language.text(.serverOfTheApplication, [.address: address]) : address),
            (isFromServer ? .programOfTheServer : .program, Self.shown(device.device.userAgent, in: language)),
            (.requested, Self.ago(device.createdAt, now, in: language)),
        ]
        facts = named.map { (name: language.text($0), value: $1) }
        let networks = (RequestNetwork(public: device.device.address), RequestNetwork(public: context.record.current.address))
        place =
            if isFromServer {
                language.text(.serverMadeTheRequest)
            } else if let own = networks.1, networks.0?.differs(from: own) == true {
                language.text(.requestCameFromAnotherNetwork)
            } else {
                nil
            }
    }

    /// A user agent proves nothing, because the device states it. It is ASCII, so no letter looks like another one.
    package static func shown(_ userAgent: String?, in language: Language) -> String {
        guard let userAgent else { return language.text(.unknownProgram) }
        return "“" + String(decoding: userAgent.utf8.prefix(longestUserAgent), as: UTF8.self)
            + (userAgent.utf8.count > longestUserAgent ? "…" : "") + "”"
    }

    package static func ago(_ time: Date, _ now: Date, in language: Language) -> String {
        let minutes = Int(max(0, now.timeIntervalSince(time)) / 60)
        switch minutes {
        case 0: return language.text(.lessThanAMinuteAgo)
        case 1: return language.text(.aMinuteAgo)
        default: return language.text(.minutesAgo, [.minutes: "\(minutes)"])
        }
    }

    /// The user's name and address, for the user.
    static func name(of user: User, in language: Language) -> String {
        user.label ?? language.text(.yourAppleAccount)
    }
}
