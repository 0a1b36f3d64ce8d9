extension Language {
    static let koreanPeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "내 계정",
    ]
}
