import Access
import Devices
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Sessions
import Web

extension TerminalRoutes {
    /// The codes of a terminal (RFC 8628, section 3.2). There is no `verification_uri_complete`: the person types the code, so a link of an
    /// attacker leads to no decision.
    private struct Codes: Encodable {
        let device_code, user_code, verification_uri: String
        let expires_in = Int(PersonDevice.lifetime)
        let interval = PersonDevice.interval
    }

    /// Starts the login of a terminal without a browser.
    @Sendable
    func authorizeTerminalDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await grant.form(request, context)
        let terminal = TerminalDevice(name: try TerminalName.of(form), device: Device(request, context))
        let network = CallerNetwork.site(of: terminal.device.address)
        guard grant.starts.take(network, at: .now).isGranted else { throw tooMany(context) }
        let (now, keyring) = (grant.now(), grant.keyring)
        let id = ID<PersonDevice>(at: now)
        func insert(_ code: UserCode) async throws -> Bool {
            try await !grant.database.run(
                PersonDevice.insert(id, userCode: code.digest(with: keyring), terminal, network: network, at: now)
            ).isEmpty
        }
        let userCode = try await grant.reportingOutage(context) {
            var code = UserCode.random()
            let isInserted: Bool
            do { isInserted = try await insert(code) } catch let error as DatabaseError where error.constraint == PersonDevice.isTaken {
                code = .random()
                isInserted = try await insert(code)
            }
            guard isInserted else { throw tooMany(context) }
            return code
        }
        return try .json(
            Codes(
                device_code: TerminalDeviceCode.text(of: id, at: now, with: keyring), user_code: userCode.text,
                verification_uri: "\(grant.issuer)/device"), headers: [.pragma: "no-cache"])
    }

    private func tooMany(_ context: WebContext) -> OAuthError {
        context.record.note(header: .retryAfter, "60")
        var error = OAuthError(
            .temporarilyUnavailable,
            """
            Too many terminals have asked. Retry after 60 seconds. The limits per 10 minutes are \(PersonDevice.mostOfNetwork) of one \
            address, and \(PersonDevice.most) of all.
            """)
        error.isRateLimited = true
        return error
    }
}
