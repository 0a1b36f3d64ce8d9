import ArgumentParser

struct OperatorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operators", abstract: "Invites the platform's operators.", subcommands: [CreateOperatorCommand.self])
}
