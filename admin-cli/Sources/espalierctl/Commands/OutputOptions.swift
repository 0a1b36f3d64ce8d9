import ArgumentParser

/// How an answer is printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Prints the server's JSON as it came, for programs.")
    var json = false

    /// Prints the whole answer as JSON, or what `describe` makes of it for people.
    func write<Body>(_ reply: APIClient.Reply<Body>, describe: (Body) -> String) throws(Failure) {
        try Terminal.standardOutput.write(json ? reply.json : describe(reply.body))
    }
}
