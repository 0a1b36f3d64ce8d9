import ArgumentParser
import Foundation

/// A command that sends one call of the REST API. It defines the call and the printed parts of the response.
protocol CallCommand: AsyncParsableCommand {
    associatedtype Options: CommandOptions

    /// The printed parts of the response. Nil for a response without a body (204).
    static var view: View? { get }
    var options: Options { get }

    /// The call to send.
    /// - Throws: ``Failure`` if an argument is invalid.
    func call(_ session: Session) async throws -> Call
    /// Returns the response with data of other calls that the view needs.
    /// - Throws: ``Failure`` if the response does not fit the command. Then nothing is printed.
    func completed(_ answer: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON
    /// The printed response, for commands that need more than ``view``.
    func describe(_ answer: JSON) throws -> String
    /// A message on the standard error after a success.
    func note(_ answer: JSON) -> String?
    /// The failure that a successful response reports.
    func reportedFailure(_ answer: JSON) -> Failure?
    /// The options of body members with a different name.
    static var flags: [String: String] { get }
    /// Returns the failure with a next step that fits this command.
    func advice(for failure: Failure) -> Failure
}

extension CallCommand {
    static var view: View? { nil }
    static var flags: [String: String] { [:] }

    /// The options of body members, by the help of the command.
    private static var options: OptionNames { OptionNames(flags, help: Self.helpMessage()) }

    func describe(_ answer: JSON) throws -> String {
        guard let view = Self.view else { return "" }
        guard options.page != nil else { return try view.details(of: answer) }
        guard let elements = answer["data"]?.elements else { throw Failure.shape() }
        return elements.isEmpty ? "" : try view.table(of: elements)
    }

    func completed(_ answer: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON { answer }
    func note(_ answer: JSON) -> String? { nil }
    func reportedFailure(_ answer: JSON) -> Failure? { nil }
    func advice(for failure: Failure) -> Failure { failure }

    func run() async throws {
        let session = try Session(options)
        var call = try await session.confirmed(call(session))
        call.query += options.page?.query ?? []
        if options.dryRun { return try session.show([call]) }
        if let file = options.secretFile { try SecretFile.create(file) }
        var reply: Reply
        do {
            let client = try session.client()
            reply = options.page?.all == true ? try await client.list(call) : try await client.send(call)
            reply.json = try await completed(reply.json, session, client)
        } catch {
            // No secret was issued, so the empty file is removed.
            if let file = options.secretFile { SecretFile.remove(file) }
            throw advice(for: error.naming(Self.options, in: call))
        }
        try printReply(&reply)
        if let failure = reportedFailure(reply.json) { throw failure }
    }

    /// Prints the response. A secret in the response goes to its file.
    private func printReply(_ reply: inout Reply) throws {
        let secret = try Secret.take(from: &reply, to: options.secretFile)
        let text = options.json ? reply.text : try describe(reply.json)
        if !text.isEmpty { try Terminal.standardOutput.write(json: text, options.jq) }
        if !options.json, options.page != nil, reply.json["data"]?.elements?.isEmpty == true {
            Terminal.standardError.report("No results.")
        }
        if !options.json, let after = reply.json["list_metadata.after"]?.string {
            Terminal.standardError.report("More results exist. Pass --after \(after.printable) or --all.")
        }
        if let secret { Terminal.standardError.report(secret) }
        if let note = note(reply.json) { Terminal.standardError.report(note.printable) }
    }
}

/// A secret in a response. The server shows it once.
enum Secret {
    private static let names = ["client_secret", "secret"]

    /// Moves the secret from the response to the file. Without a file, the secret stays in the response.
    /// - Returns: the message about the secret. Nil without a secret.
    static func take(from reply: inout Reply, to file: String?) throws(Failure) -> String? {
        guard case .object(var members) = reply.json, let name = names.first(where: { members[$0] != nil }),
            let secret = members[name]?.string
        else {
            guard let file else { return nil }
            SecretFile.remove(file)
            return "The response contains no secret, so \(file.printable) was not written."
        }
        guard let file else { return "Save the secret now. It is shown only once. (--secret-file FILE writes it to a file instead.)" }
        try SecretFile.write(secret, to: file)
        members[name] = nil
        reply.json = .object(members)
        reply.text = JSONText.removing(name, from: reply.text)
        return "The secret is in \(file.printable). Only you can read this file. The secret is not shown again."
    }
}
