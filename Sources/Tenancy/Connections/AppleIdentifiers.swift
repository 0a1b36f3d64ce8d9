import Access

/// The form of what Apple's portal hands out, and what a mistaken one looks like. Each `refusal` says what is wrong and where
/// the right one is found, or is nil.
enum AppleIdentifiers {
    /// The form of Team IDs and Key IDs: ten capital letters and digits.
    static func isPortalID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// The form of Services IDs and bundle IDs: labels of letters, digits and hyphens, with dots between them, as `com.example.web`.
    static func isReverseDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && labels.count >= 2 && text.utf8.first != UInt8(ascii: "-")
            && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 == UInt8(ascii: "-") || isDigit($0) || isLetter($0) } }
    }

    /// - Parameters: what stands in the other two places, to tell what was swapped.
    static func refusal(ofTeamID text: String, servicesID: String?, keyID: String?) -> String? {
        let place = "Apple's portal shows the Team ID, ten capital letters and digits, under Membership details."
        if isReverseDomain(text) {
            return servicesID.map(isPortalID) == true
                ? "Team ID and Services ID look swapped: a Team ID has ten capital letters and digits, and this has the form of a Services ID."
                : "This has the form of a Services ID or bundle ID. \(place)"
        }
        guard isPortalID(text) else { return isPortalID(text.uppercased()) ? "Its letters must be capitals. \(place)" : place }
        if text == keyID { return "Team ID and Key ID are the same: one of them stands in the other's place. \(place)" }
        return nil
    }

    static func refusal(ofKeyID text: String, teamID: String?) -> String? {
        let place = "The Key ID is the ten capital letters and digits in the name of the key's file, AuthKey_….p8."
        guard isPortalID(text) else {
            if isReverseDomain(text), !text.hasSuffix(".p8") { return "This has the form of a Services ID or bundle ID. \(place)" }
            return isPortalID(text.uppercased()) ? "Its letters must be capitals. \(place)" : place
        }
        if text == teamID { return "Key ID and Team ID are the same: one of them stands in the other's place. \(place)" }
        return nil
    }

    static func refusal(ofServicesID text: String) -> String? {
        let place = "A Services ID is a reverse domain such as com.example.web, listed in Apple's portal under Identifiers, Services IDs."
        if isPortalID(text) { return "This has the form of a Team ID or Key ID. \(place)" }
        return isReverseDomain(text) ? nil : place
    }

    static func refusal(ofBundleID text: String) -> String? {
        isReverseDomain(text) ? nil : "A bundle ID is a reverse domain such as com.example.app."
    }

    /// What is registered for Apple's mail relay: a domain, or one address.
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
        else { return "Give a domain that sends, such as example.com, or one address." }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
    }
}
