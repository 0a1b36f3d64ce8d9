extension Language {
    static let simplifiedChinesePeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "您的账户",
    ]
}
