import Access
import HTTPTypes
import Hummingbird
import Sessions

/// The cookies of a login attempt. One ties the attempt to the browser that began it: one an attempt, so that two tabs do not
/// disturb each other. Further ones carry what of the application's state does not fit into Apple's URL.
///
/// Apple's answer is a cross-site POST, to which browsers attach only `SameSite=None` cookies, and those
/// only with `Secure`. `__Host-` keeps sibling domains from planting one. On plain http, which settings
/// allow on loopback only, none of this can be had nor is needed: the simulator is the same site.
struct AttemptCookie {
    let name: String
    private let attributes: String

    /// How many bytes of cookies a browser carries for its open attempts. Browsers send all cookies in one header, and common
    /// proxies take 8 KiB there. Beyond that, every request of the browser would fail until the cookies expire.
    static let largestTotal = 7000
    /// How many cookies a response removes. Each takes about 110 bytes of its header.
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

// MARK: Setting

extension AttemptCookie {
    /// - Parameter parts: what does not fit into Apple's URL, sealed.
    func set(_ secret: String, parts: [String] = []) -> [String] {
        let cookies = [(name, secret)] + parts.enumerated().map { (name(ofPart: $0), $1) }
        return cookies.map { name, value in "\(name)=\(value); Max-Age=\(Int(LoginAttempt.lifetime)); \(attributes)" }
    }

    func removals(parts: Int = 0) -> [String] {
        ([name] + (0..<parts).map(name(ofPart:))).map { Self.removal($0, attributes) }
    }

    private func name(ofPart number: Int) -> String { "\(name)-\(number)" }

    private static func removal(_ name: String, _ attributes: String) -> String {
        "\(name)=; Max-Age=0; \(attributes)"
    }

    /// Removals for the browser's other attempts, where their cookies and a new attempt's exceed `largestTotal`. Nothing says which
    /// are the oldest, so all parts go, and the secrets too where those alone are too much. Their tabs are told to start again.
    ///
    /// A response removes up to `mostRemovals`. The next one removes more.
    static func removals(toMakeRoomFor parts: [String], secret: String = "", in request: Request, publicURL: String) -> [String] {
        let prefix = prefix(publicURL)
        // name=value in a header, then a semicolon and a space.
        func size(_ name: Int, _ value: Int) -> Int { name + value + 3 }
        let nameSize = prefix.utf8.count + nameLength
        let new = parts.reduce(size(nameSize, secret.utf8.count)) { $0 + size(nameSize + 2, $1.utf8.count) }
        var (partNames, secretNames) = (Set<String>(), Set<String>())
        var (partBytes, secretBytes) = (0, 0)
        forEachCookie(in: request) { name, value in
            // Exactly an attempt's name, since it goes into a header.
            guard name.starts(with: prefix.utf8) else { return }
            let rest = name.dropFirst(prefix.utf8.count)
            guard rest.count >= nameLength, rest.prefix(nameLength).allSatisfy(\.isLowercaseOrDigit) else { return }
            let ending = rest.dropFirst(nameLength)
            if ending.isEmpty {
                secretNames.insert(String(Substring(name)))
                secretBytes += size(name.count, value.count)
            } else if ending.count == 2, ending.first == UInt8(ascii: "-"), ending.dropFirst().allSatisfy(\.isLowercaseOrDigit) {
                partNames.insert(String(Substring(name)))
                partBytes += size(name.count, value.count)
            }
        }
        guard new + partBytes + secretBytes > largestTotal else { return [] }
        let names = partNames.sorted() + (new + secretBytes > largestTotal ? secretNames.sorted() : [])
        return names.prefix(mostRemovals).map { removal($0, attributes(publicURL)) }
    }
}

// MARK: Reading

extension AttemptCookie {
    /// The values that the browser sends under this name. There may be several: where there is no `__Host-`, a sibling domain can
    /// plant another one, which must not displace ours.
    func values(in request: Request) -> [String] {
        Self.values(of: name, in: request)
    }

    func values(ofPart number: Int, in request: Request) -> [String] {
        Self.values(of: name(ofPart: number), in: request)
    }

    private static func values(of name: String, in request: Request) -> [String] {
        var values: [String] = []
        forEachCookie(in: request) { found, value in
            if found.elementsEqual(name.utf8), !value.isEmpty { values.append(String(Substring(value))) }
        }
        return values
    }

    /// Takes the header apart by bytes (RFC 6265, section 4.2.1). As `Character`s, a `;` or `=` can be one with its neighbors, so
    /// that another cookie hides ours.
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
