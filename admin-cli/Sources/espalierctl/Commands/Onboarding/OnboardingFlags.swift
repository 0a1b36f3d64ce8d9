import Foundation

// Checks of the flags before the first call.
extension OnboardTenant {
    /// Rejects malformed values, and flags that contradict each other.
    ///
    /// The check runs before a tenant is created, because a slug cannot be used again.
    func rejectInvalidFlags() throws(Failure) {
        try rejectMalformedFlags()
        if applicationKind == .machine, !redirectURIs.isEmpty {
            throw Self.refusal("An application of the kind machine has no redirect URI.", "Leave --redirect-uri out.")
        }
        if let applicationKind, let file = options.secretFile, !applicationKind.hasSecret {
            throw Self.refusal(
                "An application of the kind \(applicationKind.rawValue) has no secret, so nothing can be written to \(file).",
                "Leave --secret-file out.")
        }
        if connection == .own, let plan, plan != .enterprise { throw Self.planRefusal(plan) }
        guard connection == .shared else { return }
        let unused = [
            ("--team-id", teamID != nil), ("--services-id", servicesID != nil), ("--key-file", keyFile != nil), ("--key-id", keyID != nil),
            ("--bundle-id", !properties.bundleIDs.isEmpty), ("--email-source", !properties.emailSources.isEmpty),
        ].filter(\.1).map(\.0)
        guard unused.isEmpty else {
            let options = unused.joined(separator: ", ")
            throw Self.refusal("The shared connection does not use \(options).", "Pass --connection own, or leave \(options) out.")
        }
    }

    private func rejectMalformedFlags() throws(Failure) {
        var values: [(option: String, value: String?, refusal: (String) -> String?)] = [
            ("SLUG", slug?.text, Onboarding.slugRefusal), ("--name", name, Onboarding.nameRefusal),
            ("--application-name", applicationName, Onboarding.nameRefusal),
        ]
        if connection != .shared {
            values += [("--team-id", teamID, Onboarding.teamIDRefusal), ("--services-id", servicesID, Onboarding.servicesIDRefusal)]
            values += properties.bundleIDs.map { ("--bundle-id", $0, Onboarding.bundleIDRefusal) }
            values += properties.emailSources.map { ("--email-source", $0, Onboarding.emailSourceRefusal) }
        }
        if applicationKind != .machine {
            values += redirectURIs.map { ("--redirect-uri", $0, { RedirectURI.refusal(of: $0, applicationKind) }) }
        }
        for (option, value, refusal) in values {
            guard let value, let reason = refusal(value) else { continue }
            throw Self.refusal("\(option) is \(value.isEmpty ? "empty" : value). \(reason)", "Correct \(option).")
        }
        for (option, values, limit) in [
            ("--redirect-uri", redirectURIs, 100), ("--bundle-id", properties.bundleIDs, 20),
            ("--email-source", properties.emailSources, 100),
        ] {
            guard values.count <= limit else {
                throw Self.refusal("\(option) occurs \(values.count) times.", "Pass it at most \(limit) times.")
            }
            let twice = values.indices.first { index in values[..<index].contains { $0.isSame(as: values[index]) } }
            if let twice { throw Self.refusal("\(option) \(values[twice]) occurs twice.", "Pass it once.") }
        }
    }

    static func planRefusal(_ plan: Plan) -> Failure {
        refusal(
            "The plan \(plan.rawValue) does not include a connection of the tenant's own.",
            "Pass --plan enterprise, or --connection shared.")
    }

    private static func refusal(_ detail: String, _ nextStep: String) -> Failure {
        Failure(status: .usage, detail: detail, nextStep: "\(nextStep) Nothing was created.")
    }
}

// Checks of the value formats that the server accepts.
extension Onboarding {
    static func slugRefusal(_ text: String) -> String? {
        text.wholeASCIIMatch(of: #/[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/#) == nil
            ? "A slug has 1 to 63 lower-case letters, digits and hyphens. It starts and ends with a letter or digit." : nil
    }

    static func nameRefusal(_ text: String) -> String? {
        (1...200).contains(text.unicodeScalars.count) && text.isSame(as: text.printable)
            ? nil : "A name has 1 to 200 characters and no control characters."
    }

    static func teamIDRefusal(_ text: String) -> String? {
        text.wholeASCIIMatch(of: #/[A-Z0-9]{10}/#) == nil
            ? "A Team ID has 10 capital letters and digits. Apple's portal shows it under Membership." : nil
    }

    static func servicesIDRefusal(_ text: String) -> String? {
        isReverseDomain(text)
            ? nil : "A Services ID has parts with letters, digits and hyphens, such as com.example.login, and at most 255 characters."
    }

    static func bundleIDRefusal(_ text: String) -> String? {
        isReverseDomain(text)
            ? nil : "A bundle ID has parts with letters, digits and hyphens, such as com.example.shop, and at most 255 characters."
    }

    static func emailSourceRefusal(_ text: String) -> String? {
        text.utf8.count <= 254
            && text.wholeASCIIMatch(of: #/(?:[A-Za-z0-9._+-]+@)?[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)+/#) != nil
            ? nil : "An email source is a domain, such as example.com, or an email address. It has at most 254 characters."
    }

    private static func isReverseDomain(_ text: String) -> Bool {
        text.utf8.count <= 255 && text.wholeASCIIMatch(of: #/[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)+/#) != nil
    }
}
