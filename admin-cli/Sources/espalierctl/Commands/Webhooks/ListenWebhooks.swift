import ArgumentParser
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `espalierctl webhooks listen`: forwards a tenant's events to an address on this machine.
struct ListenWebhooks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Shows a tenant's webhook events, and forwards them to an address on this machine.",
        discussion: """
            The events begin with the start of the command. Each forwarded event is a POST request with the headers and the body of a \
            delivery, and is sent once. The command signs it with a new secret, which it prints. Ctrl-C ends the command. \
            `espalierctl webhooks trigger` sends examples. With --json, each event is a line of JSON.

            EXAMPLES
              espalierctl webhooks listen --tenant acme \\
                --forward-to http://localhost:3000/webhooks
              espalierctl webhooks listen --tenant acme --event user.created --jq .data.user_id
            """)

    @Option(help: ArgumentHelp("The address that receives the events, for example http://localhost:3000/webhooks.", valueName: "url"))
    var forwardTo: String?

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp("A type of event. Repeat the option for several types. By default, all types.", valueName: "type"))
    var events: [WebhookEventType] = []

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    /// The largest part of a refusal that is read at once, in bytes.
    private static let longestRefusal = 64 * 1024

    func validate() throws {
        guard let forwardTo else { return }
        guard let url = URL(string: forwardTo), ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false,
            url.user == nil
        else { throw ValidationError("--forward-to takes an address such as http://localhost:3000/webhooks.") }
    }

    func run() async throws {
        let session = try Session(options)
        let call = Call.get("\(try session.path(tenant))/webhooks/listen")
        let client = try session.client()
        let secret = ForwardingSecret()
        if forwardTo != nil { Terminal.standardError.report("The signing secret is \(secret.text).") }
        Terminal.standardError.report("Waiting for events. Press Ctrl-C to end.")
        var (stream, wait) = (ServerSentEvents(), 1)
        while true {
            // The part of an event before an interruption is sent again.
            let lastID = stream.lastID
            stream = ServerSentEvents(lastID: lastID)
            do {
                var refusal: (response: HTTPURLResponse, body: Data)?
                for try await part in try client.download(call, accepting: "text/event-stream", lastEventID: lastID) {
                    switch part {
                    case .head(let response):
                        if response.statusCode == 200 { wait = 1 } else { refusal = (response, Data()) }
                    case .data(let data):
                        if refusal != nil {
                            refusal?.body += data.prefix(Self.longestRefusal)
                        } else {
                            for event in try stream.read(data) { try await receive(event, secret) }
                        }
                    }
                }
                if let refusal, refusal.response.statusCode < 500 { throw client.failure(refusal.body, refusal.response, of: call) }
            } catch let failure as Failure {
                throw failure
            } catch {
                Terminal.standardError.report("The connection was lost. The next attempt follows in \(wait) s.")
            }
            // The server ends each stream after 15 minutes.
            try? await Task.sleep(for: .seconds(wait))
            wait = min(30, wait * 2)
        }
    }

    private func receive(_ event: ServerSentEvents.Event, _ secret: ForwardingSecret) async throws {
        guard let forwarded = ForwardedEvent(event), events.isEmpty || events.contains(where: { $0.rawValue.isSame(as: event.type) })
        else { return }
        if options.json { try Terminal.standardOutput.write(json: forwarded.body, options.jq) }
        var result = ""
        if let forwardTo, let address = URL(string: forwardTo) {
            switch await APIClient.exchange(forwarded.request(to: address, signedBy: secret, at: .now)) {
            case .success(let (_, response)): result = "  \(response.statusCode)"
            case .failure(let error): result = "  not delivered: \(error.localizedDescription)"
            }
        }
        let line = "\(Date.now.formatted(.iso8601))  \(forwarded.type)  \(forwarded.id)\(result)".printable
        if options.json { Terminal.standardError.report(line) } else { try Terminal.standardOutput.write(line) }
    }
}
