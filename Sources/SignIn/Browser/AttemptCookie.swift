import Access
import Encoding
import HTTPTypes
import Hummingbird
import Pages
import Sessions

/// The cookies of a login attempt. One cookie binds the attempt to the browser that started it. Each attempt has its own, so that two tabs
/// do not disturb each other. More cookies contain the part of the application's state that does not fit into Apple's URL.
/// Others contain the question of a page, for a reload, the identity that waits for the sign-in, the attempt itself, for a person who comes
/// back from a mail, and a name that Apple sends only once.
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

    /// Another cookie with the question of a page, and the secret for as long, because the form of the page needs it. The cookie also shows
    /// that the login can have several codes.
    /// - Parameters:
    ///   - question: the question. A mark replaces it if it is empty or too long for a cookie, or exceeds `largestTotal` together with the
    ///     other cookies. Then only a reload of the page is not possible.
    ///   - removals: cookies that the response removes. Like the one that it replaces, they do not count.
    ///   - others: further cookies that the response sets or removes.
    func set(
        _ secret: String, question: String, after removals: [String] = [], beside others: [String] = [], in request: Request,
        publicURL: String
    ) -> [String] {
        let isKept =
            !question.isEmpty
            && fits(question, as: name(of: .question), after: removals, beside: others, in: request, publicURL: publicURL)
        return set(secret) + [set(.question, isKept ? question : Self.mark)]
    }

    /// A cookie with a name that waits for another sign-in. It is left out like a question.
    /// - Parameter removals: cookies that the response removes.
    func setKeptName(_ sealed: String, after removals: [String] = [], in request: Request, publicURL: String) -> [String] {
        let name = name(of: .keptName)
        guard fits(sealed, as: name, after: removals, in: request, publicURL: publicURL) else { return [Self.removal(name, attributes)] }
        return [set(.keptName, sealed)]
    }

    func setWaiting(_ sealed: String) -> String { set(.waiting, sealed) }

    /// The cookies of a person who comes back from a mail: the question of the page and the attempt, which are sealed, and the secret. If
    /// there is no room, the parts of other attempts go.
    func set(_ secret: String, question: String, of attempt: String, in request: Request, publicURL: String) -> [String] {
        Self.removals(
            toMakeRoomFor: [question, attempt], replacing: [name(of: .question), name(of: .attempt)], in: request, publicURL: publicURL)
            + set(secret) + [set(.question, question), set(.attempt, attempt)]
    }

    /// Whether a browser can keep a question with its attempt.
    func canHold(_ question: String, of attempt: String) -> Bool {
        let total =
            Held.size(name(of: .question).utf8.count, question.utf8.count) + Held.size(name(of: .attempt).utf8.count, attempt.utf8.count)
        return max(question.utf8.count, attempt.utf8.count) <= Self.longestValue && total <= Self.largestTotal - Self.roomForSecrets
    }

    /// Whether a browser has room for a cookie. The one that it replaces does not count, and neither do those that the response removes.
    private func fits(
        _ value: String, as name: String, after removals: [String], beside others: [String] = [], in request: Request, publicURL: String
    ) -> Bool {
        let changed = (removals + others).map { String($0.prefix { $0 != "=" }) }
        let held = Held(in: request, publicURL: publicURL, except: changed + [name])
        // With "; " after each one, without attributes.
        let added = others.reduce(0) { $0 + $1.utf8.prefix { $0 != UInt8(ascii: ";") }.count + 2 }
        let total = held.secretBytes + held.partBytes + added + Held.size(name.utf8.count, value.utf8.count)
        return value.utf8.count <= Self.longestValue && total <= Self.largestTotal
    }

    private func set(_ content: Content, _ value: String) -> String {
        "\(name(of: content))=\(value); Max-Age=\(Int(LoginAttempt.lifetime)); \(attributes)"
    }

    /// The cookies besides the secret and the parts of a state. They are named like parts, so that they are removed like these.
    fileprivate enum Content: String {
        case question = "-q"
        /// The identity that waits for the sign-in of the attempt, or the permission to add one.
        case waiting = "-w"
        case attempt = "-a"
        case keptName = "-n"
    }

    private func name(of content: Content) -> String { name + content.rawValue }

    private static let mark = "asked"
    /// In bytes. With its name, a cookie stays below 4096 bytes, the limit of browsers.
    private static let longestValue = 3900
    /// How many of the bytes of all cookies are for the secrets of attempts.
    private static let roomForSecrets = 500

    private func name(ofPart number: Int) -> String { "\(name)-\(number)" }

    fileprivate static func removal(_ name: String, _ attributes: String) -> String {
        "\(name)=; Max-Age=0; \(attributes)"
    }

    /// Removals for the browser's other attempts, if their cookies and those of a new attempt exceed `largestTotal`. The cookies do not
    /// show their age, so all parts go. The secrets go too if they alone exceed it. The other tabs then show a page that offers a new
    /// start.
    ///
    /// A response removes up to `mostRemovals` cookies. The next response removes more.
    /// - Parameter replaced: the names of cookies that the response sets again.
    static func removals(
        toMakeRoomFor parts: [String], replacing replaced: [String] = [], secret: String = "", in request: Request, publicURL: String
    ) -> [String] {
        let nameSize = prefix(publicURL).utf8.count + nameLength
        let new = parts.reduce(Held.size(nameSize, secret.utf8.count)) { $0 + Held.size(nameSize + 2, $1.utf8.count) }
        let held = Held(in: request, publicURL: publicURL, except: replaced)
        guard new + held.partBytes + held.secretBytes > largestTotal else { return [] }
        let keepsSecrets = new + held.secretBytes <= largestTotal
        let names = held.partNames.sorted() + (keepsSecrets ? [] : held.secretNames.sorted())
        return names.prefix(mostRemovals).map { name in
            // The login of a question can have several codes, which the mark shows as long as the secret exists.
            keepsSecrets && name.utf8.suffix(2).elementsEqual(Content.question.rawValue.utf8)
                ? "\(name)=\(mark); Max-Age=\(Int(LoginAttempt.lifetime)); \(attributes(publicURL))" : removal(name, attributes(publicURL))
        }
    }

    /// The cookies of attempts that a browser has: the secrets, and everything else.
    private struct Held {
        var (partNames, secretNames) = (Set<String>(), Set<String>())
        var (partBytes, secretBytes) = (0, 0)

        /// - Parameter replaced: the names of cookies that do not count.
        init(in request: Request, publicURL: String, except replaced: [String] = []) {
            let prefix = AttemptCookie.prefix(publicURL)
            AttemptCookie.forEachCookie(in: request) { name, value in
                guard let (_, ending) = AttemptCookie.split(name, after: prefix.utf8),
                    !replaced.contains(where: { $0.utf8.elementsEqual(name) })
                else { return }
                if ending.isEmpty {
                    secretNames.insert(String(Substring(name)))
                    secretBytes += Self.size(name.count, value.count)
                } else {
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
    /// The cookies of one attempt that a browser sends. The callback reads them once, because every login passes it.
    ///
    /// There may be several values of one name. Without `__Host-`, a sibling domain can set another value, which must not displace
    /// Espalier's.
    struct Sent {
        let cookie: AttemptCookie
        private(set) var secrets: [String] = []
        private(set) var questions: [String] = []
        private(set) var waiting: [String] = []
        private(set) var attempts: [String] = []
        /// The names that wait for a sign-in in this browser, of all attempts.
        private(set) var keptNames: [String] = []
        private var names = Set<String>()

        fileprivate init(_ cookie: AttemptCookie, in request: Request) {
            self.cookie = cookie
            let name = cookie.name.utf8
            let (prefix, id) = (name.dropLast(nameLength), name.suffix(nameLength))
            AttemptCookie.forEachCookie(in: request) { found, value in
                guard !value.isEmpty, let (foundID, ending) = AttemptCookie.split(found, after: prefix) else { return }
                let content = Content(rawValue: String(Substring(ending)))
                if content == .keptName { keptNames.append(String(Substring(value))) }
                guard foundID.elementsEqual(id) else { return }
                names.insert(String(Substring(found)))
                switch content {
                case .question: questions.append(String(Substring(value)))
                case .waiting: waiting.append(String(Substring(value)))
                case .attempt: attempts.append(String(Substring(value)))
                case .keptName: break
                // The parts of a state are read before the attempt is known.
                case nil: if ending.isEmpty { secrets.append(String(Substring(value))) }
                }
            }
        }

        /// The removals of all of them.
        /// - Parameters:
        ///   - keepingSecret: for a page whose form needs the secret.
        ///   - keepingName: whether a name that waits stays, for another sign-in.
        func removals(keepingSecret: Bool = false, keepingName: Bool = false) -> [String] {
            let kept = (keepingSecret ? [cookie.name] : []) + (keepingName ? [cookie.name(of: .keptName)] : [])
            return names.subtracting(kept).sorted().map { AttemptCookie.removal($0, cookie.attributes) }
        }

        var removalsOfWaiting: [String] {
            waiting.isEmpty ? [] : [AttemptCookie.removal(cookie.name(of: .waiting), cookie.attributes)]
        }
    }

    func sent(in request: Request) -> Sent { Sent(self, in: request) }

    /// The values of the secret.
    func values(in request: Request) -> [String] { sent(in: request).secrets }

    func values(ofPart number: Int, in request: Request) -> [String] {
        var values: [String] = []
        Self.forEachCookie(in: request) { found, value in
            if found.elementsEqual(name(ofPart: number).utf8), !value.isEmpty { values.append(String(Substring(value))) }
        }
        return values
    }

    /// The ID and the ending of a name that an attempt's cookie could have. It must match exactly, because it goes into a header.
    private static func split<Prefix: Collection<UInt8>>(
        _ name: Substring.UTF8View, after prefix: Prefix
    ) -> (id: Substring.UTF8View, ending: Substring.UTF8View)? {
        guard name.starts(with: prefix) else { return nil }
        let rest = name.dropFirst(prefix.count)
        let (id, ending) = (rest.prefix(nameLength), rest.dropFirst(nameLength))
        guard id.count == nameLength, id.allSatisfy(\.isLowercaseOrDigit) else { return nil }
        let isEnding = ending.count == 2 && ending.first == UInt8(ascii: "-") && ending.dropFirst().allSatisfy(\.isLowercaseOrDigit)
        return ending.isEmpty || isEnding ? (id, ending) : nil
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
