/// The address of a mailbox (RFC 5321, section 4.1.2), checked by bytes. It has no character that could end a command or a header.
///
/// Its descriptions do not show it, so that no log has it.
package struct MailAddress: Sendable {
    /// The part before the `@`, without quotation marks.
    private let local: String
    /// In ASCII. A name with other letters is written as its `xn--` form.
    let domain: String

    /// Nil for a text that is not an address, and for one with quotation marks, a comment or a blank, or at a machine: an IP address, or a
    /// name of one label such as `localhost`. Otherwise, people could make the mail server call its own network.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 254, let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let (local, domain) = (bytes[..<at], bytes[(at + 1)...])
        guard (1...64).contains(local.count), local.allSatisfy(\.isPartOfLocal), Self.isDomain(domain) else { return nil }
        self.local = String(decoding: local, as: UTF8.self)
        self.domain = String(decoding: domain, as: UTF8.self)
        guard self.local.unicodeScalars.allSatisfy(\.isVisibleInAddress) else { return nil }
    }

    /// The address as `init` reads it.
    package var address: String { "\(local)@\(domain)" }

    /// The address in commands and headers.
    var text: String { "\(isListOfAtoms ? local : "\"\(local)\"")@\(domain)" }

    /// Whether the server must support SMTPUTF8 (RFC 6531).
    var needsUTF8: Bool { !local.utf8.allSatisfy { $0 < 0x80 } }

    /// Other texts have quotation marks: some providers have addresses with two dots in a row.
    private var isListOfAtoms: Bool {
        let atoms = local.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return atoms.allSatisfy { !$0.isEmpty }
    }

    private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= 253, labels.count >= 2, labels.last?.allSatisfy(\.isDigit) == false else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
        }
    }
}

extension MailAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<address>" }
    package var debugDescription: String { "<address>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: isDigit
        }
    }

    /// `atext` of RFC 5322, section 3.2.3, the dot, and the bytes of other letters (RFC 6531, section 3.3).
    fileprivate var isPartOfLocal: Bool { isLetterOrDigit || self >= 0x80 || "!#$%&'*+-/=?^_`{|}~.".utf8.contains(self) }
}

extension Unicode.Scalar {
    /// Whether an address may contain it. With an invisible character, two addresses would look the same.
    fileprivate var isVisibleInAddress: Bool {
        guard !properties.isDefaultIgnorableCodePoint else { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
