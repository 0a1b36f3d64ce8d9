import ArgumentParser
import Foundation

/// A command that is one call of the REST API: it says which call, and which parts of the answer a person is shown.
protocol CallCommand: AsyncParsableCommand {
    associatedtype Options: CommandOptions

    /// What of the answer is shown; nil where there is none (204).
    static var view: View? { get }
    var options: Options { get }

    /// - Throws: ``Failure``, when it can't be made of what was given.
    func call(_ session: Session) async throws -> Call
    /// The answer for people, where ``view`` alone doesn't do.
    func describe(_ answer: JSON) throws -> String
    /// What a person should know after it worked, on the standard error.
    func note(_ answer: JSON) -> String?
    /// A failure that the answer itself tells of.
    func verdict(_ answer: JSON) -> Failure?
    /// The options that set members of the body, where the names differ.
    static var flags: [String: String] { get }
    /// A refusal, with what to do where this command knows better.
    func advice(for failure: Failure) -> Failure
}

extension CallCommand {
    static var view: View? { nil }
    static var flags: [String: String] { [:] }

    func describe(_ answer: JSON) throws -> String {
        guard let view = Self.view else { return "" }
        guard options.page != nil else { return try view.details(of: answer) }
        guard let elements = answer["data"]?.elements else { throw Failure.shape() }
        return elements.isEmpty ? "" : try view.table(of: elements)
    }

    func note(_ answer: JSON) -> String? { nil }
    func verdict(_ answer: JSON) -> Failure? { nil }
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
        } catch {
            // The empty file has no use now.
            if let file = options.secretFile { SecretFile.remove(file) }
            throw advice(for: error.naming(Self.flags))
        }
        try answer(&reply)
        if let failure = verdict(reply.json) { throw failure }
    }

    /// Writes the answer, and a secret in it to where secrets go.
    private func answer(_ reply: inout Reply) throws {
        let secret = try Secret.take(from: &reply, to: options.secretFile)
        let text = options.json ? reply.text : try describe(reply.json)
        if !text.isEmpty { try Terminal.standardOutput.write(text) }
        if options.page != nil, reply.json["data"]?.elements?.isEmpty == true { Terminal.standardError.report("There are none.") }
        if !options.json, let after = reply.json["list_metadata.after"]?.string {
            Terminal.standardError.report("There are more: --after \(after.printable), or --all.")
        }
        if let secret { Terminal.standardError.report(secret) }
        if let note = note(reply.json) { Terminal.standardError.report(note.printable) }
    }
}

/// A secret in an answer, which the server shows once.
enum Secret {
    private static let names = ["client_secret", "secret"]

    /// Puts it into the file, if there is one, and takes it out of the answer.
    /// - Returns: what to tell about it; nil when there is none.
    static func take(from reply: inout Reply, to file: String?) throws(Failure) -> String? {
        guard case .object(var members) = reply.json, let name = names.first(where: { members[$0] != nil }),
            let secret = members[name]?.string
        else {
            guard let file else { return nil }
            SecretFile.remove(file)
            return "The response contains no secret, so \(file.printable) was not written."
        }
        guard let file else { return "Keep the secret now: it is shown this once. (--secret-file FILE writes it instead.)" }
        try SecretFile.write(secret, to: file)
        members[name] = nil
        reply.json = .object(members)
        reply.text = JSONText.removing(name, from: reply.text)
        return "The secret is in \(file.printable), for you alone. It is shown nowhere else."
    }
}
