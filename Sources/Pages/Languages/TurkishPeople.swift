extension Language {
    static let turkishPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Hesabınız",
    ]
}
