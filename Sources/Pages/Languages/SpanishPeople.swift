extension Language {
    static let spanishPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Su cuenta",
    ]
}
