extension Language {
    static let italianPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Il tuo account",
    ]
}
