import Access
import Crypto
import Encoding
import Foundation
import Sealing
import Sessions

/// The code that the program gets at its loopback address, and redeems once. It is sealed and not a row.
struct TerminalCode: Sendable {
    static let lifetime: TimeInterval = 60
    private static let purpose = "terminal_code"

    let approval: TerminalApproval
    let name: TerminalName?
    private let redirectURIHash: [UInt8]
    private let challenge: String
    private let issuedAt: Date

    enum Refusal: Error {
        case unreadable, otherRedirectURI, verifierMissing, verifierWrong
    }

    init(_ approval: TerminalApproval, for request: TerminalRequest, at now: Date) {
        (self.approval, name, challenge, issuedAt) = (approval, request.name, request.challenge, now)
        redirectURIHash = Self.hash(request.redirectURI)
    }

    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(issuedAt)
        fields.write(redirectURIHash)
        fields.write(challenge)
        fields.write(name?.text)
        approval.write(to: &fields)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Opens a code and checks its bindings. Its age and an earlier use are checked later, because a bound code that is used again shows that
    /// two parties have it.
    init(opening sealed: String, redirectURI: String, verifier: String?, with keyring: Keyring) throws(Refusal) {
        guard let bytes = try? keyring.openToken(sealed, purpose: Self.purpose) else { throw .unreadable }
        var fields = FieldReader(bytes)
        do {
            (issuedAt, redirectURIHash, challenge) = (try fields.date(), try fields.bytes(), try fields.string())
            name = try fields.optionalString().flatMap { TerminalName($0) }
            approval = try TerminalApproval(from: &fields)
        } catch { throw .unreadable }
        guard constantTimeEqual(redirectURIHash, Self.hash(redirectURI)) else { throw .otherRedirectURI }
        guard let verifier else { throw .verifierMissing }
        guard PKCE.verify(verifier, against: challenge) else { throw .verifierWrong }
    }

    func isExpired(at now: Date) -> Bool { now >= issuedAt.addingTimeInterval(Self.lifetime) }

    /// Identifies the code for its single use, until no server's clock accepts it.
    var use: (digest: [UInt8], end: Date) {
        (Self.hash("\(Self.purpose) \(approval.session)"), issuedAt.addingTimeInterval(2 * Self.lifetime))
    }

    private static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}
