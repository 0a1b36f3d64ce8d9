extension Language {
    static let frenchPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Votre compte",
    ]
}
