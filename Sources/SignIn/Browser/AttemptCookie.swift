import Access
import Encoding
import HTTPTypes
import Hummingbird
import Pages
import Sessions

/// The cookies of a login attempt. One cookie binds the attempt to the browser that started it. Each attempt has its own, so that two tabs
/// do not disturb each other. More cookies contain the part of the application's state that does not fit into Apple's URL.
/// A last one contains the question for a name, for a reload of its page.
///
/// Apple responds with a cross-site POST. Browsers attach only `SameSite=None` cookies to it, and those only with `Secure`. `__Host-`
/// prevents sibling domains from setting one. Settings allow plain http on loopback only. These attributes do not work there, and are
/// unnecessary because the simulator is on the same site.
struct AttemptCookie {
    let name: String
    private let attributes: String

    /// How many bytes of cookies a browser has for its open attempts. Browsers send all cookies in one header, and common proxies accept 8
    /// KiB there. With more, every request of the browser would fail until the cookies expire.
    static let largestTotal = 7000
    /// How many cookies a response removes. Each takes about 110 bytes of the response header.
    static let mostRemovals = 50
    private static let nameLength = 12

    init(_ login: ID<LoginID>, publicURL: String) {
        name = "\(Self.prefix(publicURL))\(login.description.suffix(Self.nameLength))"
        attributes = Self.attributes(publicURL)
    }

    private static func prefix(_ publicURL: String) -> String {
        publicURL.hasPrefix("https:") ? "__Host-espalier-" : "espalier-"
    }

    private static func attributes(_ publicURL: String) -> String {
        publicURL.hasPrefix("https:") ? "Path=/; HttpOnly; Secure; SameSite=None" : "Path=/; HttpOnly; SameSite=Lax"
    }
}

// MARK: The secret

extension AttemptCookie {
    /// A new secret. It ends with the language that the person asked for, because Apple returns no parameter of the request.
    static func secret(in language: Language?) -> String {
        RandomText.make() + (language.map { ".\($0.rawValue)" } ?? "")
    }

    static func language(in secret: String) -> Language? {
        let parts = secret.parts(at: ".", atMost: 2, includingEmpty: true)
        return parts.count == 2 ? Language(rawValue: String(parts[1])) : nil
    }
}

// MARK: Setting

extension AttemptCookie {
    /// - Parameter parts: the sealed parts of the state that do not fit into Apple's URL.
    func set(_ secret: String, parts: [String] = []) -> [String] {
        let cookies = [(name, secret)] + parts.enumerated().map { (name(ofPart: $0), $1) }
        return cookies.map { name, value in "\(name)=\(value); Max-Age=\(Int(LoginAttempt.lifetime)); \(attributes)" }
    }

    /// Another cookie with the question of a page, and the secret for as long, because the form of the page needs it.
    /// - Parameter question: the question. It is left out if it is too long for a cookie, or exceeds `largestTotal` together with the
    ///   cookies of the request. Then only a reload of the page is not possible.
    func set(_ secret: String, question: String, in request: Request, publicURL: String) -> [String] {
        let held = Held(in: request, publicURL: publicURL)
        let total = held.secretBytes + held.partBytes + Held.size(questionName.utf8.count, question.utf8.count)
        guard question.utf8.count <= Self.longestQuestion, total <= Self.largestTotal else { return set(secret) }
        return set(secret) + ["\(questionName)=\(question); Max-Age=\(Int(NameTicket.lifetime)); \(attributes)"]
    }

    private var questionName: String { "\(name)-\(Self.questionSuffix)" }

    private static let questionSuffix = "q"
    /// In bytes. With its name, a cookie stays below 4096 bytes, the limit of browsers.
    private static let longestQuestion = 3900

    /// - Parameter hasQuestion: whether the browser has the question of a page.
    func removals(parts: Int = 0, hasQuestion: Bool = false) -> [String] {
        ([name] + (0..<parts).map(name(ofPart:)) + (hasQuestion ? [questionName] : [])).map { Self.removal($0, attributes) }
    }

    private func name(ofPart number: Int) -> String { "\(name)-\(number)" }

    private static func removal(_ name: String, _ attributes: String) -> String {
        "\(name)=; Max-Age=0; \(attributes)"
    }

    /// Removals for the browser's other attempts, if their cookies and those of a new attempt exceed `largestTotal`. The cookies do not
    /// show their age, so all parts go. The secrets go too if they alone exceed it. The other tabs then show a page that offers a new
    /// start.
    ///
    /// A response removes up to `mostRemovals` cookies. The next response removes more.
    static func removals(toMakeRoomFor parts: [String], secret: String = "", in request: Request, publicURL: String) -> [String] {
        let nameSize = prefix(publicURL).utf8.count + nameLength
        let new = parts.reduce(Held.size(nameSize, secret.utf8.count)) { $0 + Held.size(nameSize + 2, $1.utf8.count) }
        let held = Held(in: request, publicURL: publicURL)
        guard new + held.partBytes + held.secretBytes > largestTotal else { return [] }
        let names = held.partNames.sorted() + (new + held.secretBytes > largestTotal ? held.secretNames.sorted() : [])
        return names.prefix(mostRemovals).map { removal($0, attributes(publicURL)) }
    }

    /// The cookies of attempts that a browser has: the secrets, and everything else.
    private struct Held {
        var (partNames, secretNames) = (Set<String>(), Set<String>())
        var (partBytes, secretBytes) = (0, 0)

        init(in request: Request, publicURL: String) {
            let prefix = AttemptCookie.prefix(publicURL)
            AttemptCookie.forEachCookie(in: request) { name, value in
                // The name must match an attempt's exactly, because it goes into a header.
                guard name.starts(with: prefix.utf8) else { return }
                let rest = name.dropFirst(prefix.utf8.count)
                let (id, ending) = (rest.prefix(nameLength), rest.dropFirst(nameLength))
                guard id.count == nameLength, id.allSatisfy(\.isLowercaseOrDigit) else { return }
                if ending.isEmpty {
                    secretNames.insert(String(Substring(name)))
                    secretBytes += Self.size(name.count, value.count)
                } else if ending.count == 2, ending.first == UInt8(ascii: "-"), ending.dropFirst().allSatisfy(\.isLowercaseOrDigit) {
                    partNames.insert(String(Substring(name)))
                    partBytes += Self.size(name.count, value.count)
                }
            }
        }

        /// How many bytes a cookie has in a header: name=value, a semicolon and a space.
        static func size(_ name: Int, _ value: Int) -> Int { name + value + 3 }
    }
}

// MARK: Reading

extension AttemptCookie {
    /// The values that the browser sends under this name. There may be several. Without `__Host-`, a sibling domain can set another value,
    /// which must not displace Espalier's.
    func values(in request: Request) -> [String] {
        Self.values(of: name, in: request)
    }

    func values(ofPart number: Int, in request: Request) -> [String] {
        Self.values(of: name(ofPart: number), in: request)
    }

    func questions(in request: Request) -> [String] {
        Self.values(of: questionName, in: request)
    }

    private static func values(of name: String, in request: Request) -> [String] {
        var values: [String] = []
        forEachCookie(in: request) { found, value in
            if found.elementsEqual(name.utf8), !value.isEmpty { values.append(String(Substring(value))) }
        }
        return values
    }

    /// Parses the header by bytes (RFC 6265, section 4.2.1). A `;` or `=` can form one `Character` with its neighbors, so another cookie
    /// could hide Espalier's.
    private static func forEachCookie(in request: Request, _ body: (Substring.UTF8View, Substring.UTF8View) -> Void) {
        for field in request.headers[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
                body(pair[..<equals], pair[equals...].dropFirst())
            }
        }
    }
}

extension UInt8 {
    fileprivate var isLowercaseOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
