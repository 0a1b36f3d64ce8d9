import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy

/// The address of an application whose sign-in waits for an answer of the person. The ticket of a page contains it.
///
/// The state can be longer than a token of the keyring. So the form has it in another field, and the ticket has its digest.
struct WaitingAddress {
    let redirectURI: String
    private let mode: ReturnAddress.Mode
    /// SHA-256. Empty without a state.
    private let stateDigest: [UInt8]

    init(_ address: ReturnAddress) {
        (redirectURI, mode, stateDigest) = (address.redirectURI, address.mode, Self.digest(address.state))
    }

    init(from fields: inout FieldReader) throws {
        redirectURI = try fields.string()
        guard let mode = ReturnAddress.Mode(rawValue: try fields.string()) else { throw Unreadable() }
        self.mode = mode
        stateDigest = try fields.bytes()
    }

    func write(to fields: inout FieldWriter) {
        fields.write(redirectURI)
        fields.write(mode.rawValue)
        fields.write(stateDigest)
    }

    /// Nil if the state is another one, or the application no longer has the address.
    func returnAddress(of application: Application, state: String?, issuer: String) -> ReturnAddress? {
        guard constantTimeEqual(Self.digest(state), stateDigest), application.mayRedirect(to: redirectURI) else { return nil }
        return ReturnAddress(redirectURI: redirectURI, mode: mode, state: state, issuer: issuer)
    }

    private static func digest(_ state: String?) -> [UInt8] { state.map(LoginAttempt.hash) ?? [] }

    private struct Unreadable: Error {}
}
