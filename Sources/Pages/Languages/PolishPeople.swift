extension Language {
    static let polishPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Twoje konto",
    ]
}
