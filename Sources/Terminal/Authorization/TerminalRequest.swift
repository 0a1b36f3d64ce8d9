import Encoding
import Foundation
import Sealing
import Sessions

/// The request of a terminal by the browser of its person (RFC 6749, section 4.1.1). It is sealed into a cookie and a form, and is not a row.
struct TerminalRequest: Sendable, Equatable {
    /// How long the person has for a decision, in seconds.
    static let lifetime: TimeInterval = 600
    /// The oldest sign-in that may approve, in seconds. A program can ask for a more recent one.
    static let oldestSignIn = 600
    private static let newestSignIn = 60
    private static let longestState = 500
    private static let purpose = "terminal_request"

    let redirectURI: String
    let state: String
    /// PKCE, S256.
    let challenge: String
    let name: TerminalName?
    /// How old the sign-in may be, in seconds.
    let maxAge: Int
    private let expiresAt: Date

    /// Why no page shows the request.
    enum Refusal: Error {
        /// The answer cannot go to the program: the request is not one of `espalierctl`.
        case unreadable
        /// The program gets the error.
        case error(OAuthError, TerminalAnswer)
    }

    init(_ query: Form, at now: Date) throws(Refusal) {
        guard let client = query["client_id"], client.isSame(as: TerminalClient.id), let uri = query["redirect_uri"],
            TerminalClient.mayRedirect(to: uri), let state = query["state"], state.utf8.count <= Self.longestState
        else { throw .unreadable }
        (redirectURI, self.state, expiresAt) = (uri, state, now.addingTimeInterval(Self.lifetime))
        let answer = TerminalAnswer(redirectURI: uri, state: state)
        func refuse(_ code: OAuthError.Code, _ description: String) -> Refusal { .error(OAuthError(code, description), answer) }
        guard let type = query["response_type"] else { throw refuse(.invalidRequest, "response_type is missing. It is code.") }
        guard type.isSame(as: "code") else { throw refuse(.unsupportedResponseType, "response_type must be code.") }
        guard query["code_challenge_method"]?.isSame(as: "S256") == true, let challenge = query["code_challenge"],
            PKCE.isChallenge(challenge)
        else { throw refuse(.invalidRequest, "Send code_challenge with code_challenge_method S256.") }
        self.challenge = challenge
        do { name = try TerminalName.of(query) } catch { throw .error(error, answer) }
        guard let age = query["max_age"] else {
            maxAge = Self.oldestSignIn
            return
        }
        guard age.utf8.count <= 5, age.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let seconds = Int(age)
        else { throw refuse(.invalidRequest, "max_age must be a number of seconds.") }
        // A person needs this long from the sign-in to the page.
        maxAge = min(max(seconds, Self.newestSignIn), Self.oldestSignIn)
    }

    var answer: TerminalAnswer { TerminalAnswer(redirectURI: redirectURI, state: state) }

    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(expiresAt)
        fields.write(redirectURI)
        fields.write(state)
        fields.write(challenge)
        fields.write(name?.text)
        fields.write("\(maxAge)")
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless this server sealed it, and the person was not too slow.
    init?(opening sealed: String, with keyring: Keyring, at now: Date) {
        guard let bytes = try? keyring.openToken(sealed, purpose: Self.purpose) else { return nil }
        var fields = FieldReader(bytes)
        do {
            expiresAt = try fields.date()
            (redirectURI, state, challenge) = (try fields.string(), try fields.string(), try fields.string())
            name = try fields.optionalString().flatMap { TerminalName($0) }
            guard let seconds = Int(try fields.string()) else { return nil }
            maxAge = seconds
        } catch { return nil }
        guard now < expiresAt else { return nil }
    }
}

/// The address at which the program waits for its answer, with the program's state.
struct TerminalAnswer: Sendable, Equatable {
    let redirectURI: String
    let state: String

    /// The address with a code or an error (RFC 6749, sections 4.1.2 and 4.1.2.1; RFC 9207).
    func location(_ parameters: [(String, String)], issuer: String) -> String {
        let all = parameters + [("state", state), ("iss", issuer)]
        return redirectURI + "?" + all.map { "\($0)=\(Form.encode($1))" }.joined(separator: "&")
    }
}
