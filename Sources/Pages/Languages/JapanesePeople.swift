extension Language {
    static let japanesePeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "アカウント",
    ]
}
