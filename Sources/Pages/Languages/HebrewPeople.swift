extension Language {
    static let hebrewPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "החשבון שלך",
    ]
}
