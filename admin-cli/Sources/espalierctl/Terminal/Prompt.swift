import Foundation

/// Asks the person at the terminal. Questions go to the standard error, so they do not mix with data.
struct Prompt {
    /// Whether there is a terminal, and the person allows prompts.
    let isPossible: Bool

    init(isWanted: Bool) {
        isPossible = isWanted && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    /// Asks until the answer is valid.
    /// - Parameters:
    ///   - standard: the answer if the person presses only Enter.
    ///   - refusal: returns the problem of an answer, or nil for a valid answer.
    /// - Throws: ``Failure`` if there is no terminal, or if the input ends.
    func line(_ question: String, standard: String? = nil, refusal: (String) -> String? = { _ in nil }) throws(Failure) -> String {
        while true {
            try Terminal.standardError.writeUnended("\(question)\(standard.map { " [\($0.printable)]" } ?? ""): ")
            var answer = try read()
            if answer.isEmpty, let standard { answer = standard }
            if answer.isEmpty { continue }
            guard let reason = refusal(answer) else { return answer }
            Terminal.standardError.report("  \(reason)")
        }
    }

    /// Asks once. Enter alone is an empty answer.
    func optionalLine(_ question: String) throws(Failure) -> String {
        try Terminal.standardError.writeUnended("\(question): ")
        return try read()
    }

    /// Asks for one of several words. The answer is the word or its number.
    func choice(_ question: String, _ choices: [(word: String, meaning: String)], standard: Int = 0) throws(Failure) -> Int {
        Terminal.standardError.report(question)
        for (index, choice) in choices.enumerated() {
            Terminal.standardError.report(
                "  \(index + 1)  \(choice.word.printable)\(choice.meaning.isEmpty ? "" : "  \(choice.meaning.printable)")")
        }
        let words = choices.map(\.word)
        let answer = try line("Which", standard: String(standard + 1)) {
            Self.index($0, words) == nil ? "Answer with a number from 1 to \(choices.count)." : nil
        }
        return Self.index(answer, words) ?? standard
    }

    /// The index of the chosen word. The answer is the word itself, or its number starting with 1.
    static func index(_ answer: String, _ words: [String]) -> Int? {
        guard let number = Int(answer) else { return words.firstIndex(of: answer) }
        // The subtraction must not overflow for Int.min.
        return words.indices.contains(number &- 1) ? number - 1 : nil
    }

    func yes(_ question: String, standard: Bool = true) throws(Failure) -> Bool {
        let answer = try line("\(question) (yes or no)", standard: standard ? "yes" : "no") {
            ["y", "yes", "n", "no"].contains($0.lowercased()) ? nil : "Answer yes or no."
        }
        return answer.lowercased().hasPrefix("y")
    }

    /// Asks for a secret, which the terminal does not show.
    func secret(_ question: String) throws(Failure) -> String {
        // The terminal hides input before the question appears, because a person may paste at once.
        var shown = termios()
        tcgetattr(STDIN_FILENO, &shown)
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSANOW, &shown)
            Terminal.standardError.report("")
        }
        try Terminal.standardError.writeUnended("\(question): ")
        return try read()
    }

    /// Waits until Enter is pressed.
    func pause(_ text: String) throws(Failure) {
        try Terminal.standardError.writeUnended(text)
        _ = try read()
    }

    private func read() throws(Failure) -> String {
        guard isPossible else {
            throw Failure(
                status: .usage, detail: "No terminal for a prompt.",
                nextStep: "Pass every value as a flag, or run the command in a terminal.")
        }
        guard let answer = readLine() else {
            throw Failure(status: .failure, detail: "The input ended before the answer.", nextStep: "Run the command again.")
        }
        return answer.trimmingCharacters(in: .whitespaces)
    }
}
