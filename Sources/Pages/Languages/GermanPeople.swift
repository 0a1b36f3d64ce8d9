extension Language {
    static let germanPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Ihr Konto",
    ]
}
