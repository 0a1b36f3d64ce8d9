import ArgumentParser

/// `espalierctl completion`: the script with which a shell completes commands and options.
struct PrintCompletion: ParsableCommand {
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var completion: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints the completion script of a shell.",
        discussion: """
            EXAMPLES
              espalierctl completion bash \\
                > ~/.local/share/bash-completion/completions/espalierctl
              espalierctl completion zsh > "${fpath[1]}/_espalierctl"
              espalierctl completion fish > ~/.config/fish/completions/espalierctl.fish
            """)

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        try Terminal.standardOutput.write(Espalierctl.completionScript(for: shell.completion))
    }
}
