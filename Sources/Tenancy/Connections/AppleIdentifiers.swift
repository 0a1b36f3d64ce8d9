import Access

/// Checks the form of Apple's identifiers and recognizes typical mistakes.
///
/// Each `refusal` states the problem and the place of the right identifier, or is nil.
enum AppleIdentifiers {
    /// The form of Team IDs and Key IDs: ten capital letters and digits.
    static func isPortalID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// The form of Services IDs and bundle IDs: labels of letters, digits and hyphens, with dots between them, such as `com.example.web`.
    static func isReverseDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && labels.count >= 2 && text.utf8.first != UInt8(ascii: "-")
            && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 == UInt8(ascii: "-") || isDigit($0) || isLetter($0) } }
    }

    /// Checks a Team ID. The other two identifiers reveal a swap.
    static func refusal(ofTeamID text: String, servicesID: String?, keyID: String?) -> String? {
        let place = "A Team ID has ten capital letters and digits. Apple's portal shows it under Membership details."
        if isReverseDomain(text) {
            return servicesID.map(isPortalID) == true
                ? "Team ID and Services ID look swapped. This has the form of a Services ID. A Team ID has ten capital letters and digits."
                : "This has the form of a Services ID or bundle ID. \(place)"
        }
        guard isPortalID(text) else { return isPortalID(text.uppercased()) ? "Its letters must be capitals. \(place)" : place }
        if text == keyID { return "Team ID and Key ID are the same, so one of them is wrong. \(place)" }
        return nil
    }

    static func refusal(ofKeyID text: String, teamID: String?) -> String? {
        let place = "A Key ID has ten capital letters and digits. It is part of the key's file name, AuthKey_….p8."
        guard isPortalID(text) else {
            if isReverseDomain(text), !text.hasSuffix(".p8") { return "This has the form of a Services ID or bundle ID. \(place)" }
            return isPortalID(text.uppercased()) ? "Its letters must be capitals. \(place)" : place
        }
        if text == teamID { return "Key ID and Team ID are the same, so one of them is wrong. \(place)" }
        return nil
    }

    static func refusal(ofServicesID text: String) -> String? {
        let place = "A Services ID is a reverse domain such as com.example.web. Apple's portal lists it under Identifiers, Services IDs."
        if isPortalID(text) { return "This has the form of a Team ID or Key ID. \(place)" }
        return isReverseDomain(text) ? nil : place
    }

    static func refusal(ofBundleID text: String) -> String? {
        isReverseDomain(text) ? nil : "A bundle ID is a reverse domain such as com.example.app."
    }

    /// Checks a source for Apple's mail relay: a domain or one address.
    static func refusal(ofEmailSource text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let isLocal =
            parts.count == 1
            || parts.count == 2 && !parts[0].isEmpty
                && parts[0].allSatisfy { byte in
                    isDigit(byte) || isLetter(byte)
                        || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte)
                }
        guard isLocal, text.utf8.count <= 254, let domain = parts.last, isReverseDomain(String(decoding: domain, as: UTF8.self))
        else { return "It must be a sending domain, such as example.com, or one email address." }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
    }
}
