package import ArgumentParser
import Server

/// The program for development: the server with all that it needs on one machine. `espalier` does not contain it.
package struct EspalierDev: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "espalier-dev",
        abstract: "Runs Espalier and everything that it needs on one machine, for development.",
        version: "0.1.0",
        subcommands: [Dev.self, SimulateApple.self])

    package init() {}
}
