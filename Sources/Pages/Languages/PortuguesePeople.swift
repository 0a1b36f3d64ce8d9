extension Language {
    static let portuguesePeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "Sua conta",
    ]
}
