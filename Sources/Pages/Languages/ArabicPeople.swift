extension Language {
    static let arabicPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "حسابك",
    ]
}
