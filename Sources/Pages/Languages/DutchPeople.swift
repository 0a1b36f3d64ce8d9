extension Language {
    static let dutchPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Uw account",
    ]
}
