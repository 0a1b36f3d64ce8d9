import Encoding
import Pages
import Sessions

/// The program that people log in with from a terminal. It is built in, public, and has no secret, because everyone has a copy of it.
///
/// So nothing proves that a request comes from it. Each login needs the approval of the person, and gets its token only at the machine of the
/// browser (a loopback address) or for a code that the person typed.
enum TerminalClient {
    static let id = "espalierctl"
    private static let path = "/callback"

    /// - Throws: `OAuthError` unless the form or query names the program.
    static func require(_ form: Form) throws(OAuthError) {
        guard let id = form["client_id"] else { throw OAuthError(.invalidRequest, "client_id is missing. It is \(Self.id).") }
        guard id.isSame(as: Self.id) else { throw OAuthError(.invalidClient, "client_id must be \(Self.id).") }
    }

    /// Whether a code may go to this address: `http://127.0.0.1:{port}/callback` or `http://[::1]:{port}/callback` (RFC 8252, section 7.3).
    /// `localhost` is not accepted, because its address can be another one (section 8.3).
    static func mayRedirect(to uri: String) -> Bool {
        for host in ["http://127.0.0.1:", "http://[::1]:"] where uri.begins(with: host) {
            let rest = Array(uri.utf8.dropFirst(host.utf8.count))
            let port = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...5).contains(port.count), port.first != UInt8(ascii: "0"),
                let number = Int(String(decoding: port, as: UTF8.self)), number <= 65535
            else { return false }
            return rest.dropFirst(port.count).elementsEqual(path.utf8)
        }
        return false
    }
}

/// The name of the machine, as the program states it. It proves nothing.
///
/// It has no spaces and no letters beyond ASCII, so that nobody can write a sentence for the person into it.
struct TerminalName: Sendable, Equatable {
    /// In bytes.
    private static let longest = 60

    let text: String

    private init(checked text: String) {
        self.text = text
    }

    /// The name in a form or query. Nil if it has none.
    /// - Throws: `OAuthError` for another text.
    static func of(_ form: Form) throws(OAuthError) -> TerminalName? {
        guard let text = form["host_name"] else { return nil }
        guard let name = TerminalName(text) else {
            throw OAuthError(.invalidRequest, "host_name must have 1 to \(longest) characters of A-Z, a-z, 0-9, ., _ and -.")
        }
        return name
    }

    init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(\.isPartOfName) else { return nil }
        self.init(checked: text)
    }

    /// The program at this machine, for the page on which the person decides.
    func program(in language: Language) -> String {
        language.text(.programOnMachine, [.application: language.isolated(TerminalClient.id), .machine: language.isolated(text)])
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
