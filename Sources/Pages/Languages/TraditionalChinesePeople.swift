extension Language {
    static let traditionalChinesePeopleTexts: [Text: String] = [
        // The own account.
        .yourAccount: "您的帳號",
    ]
}
