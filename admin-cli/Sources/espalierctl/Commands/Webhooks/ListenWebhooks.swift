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
            `espalierctl webhooks trigger` sends examples. With --json, each event is a line of JSON. The command waits if too many \
            terminals listen.

            EXAMPLES
              espalierctl webhooks listen --tenant acme \\
                --forward-to localhost:3000/webhooks
              espalierctl webhooks listen --tenant acme --event user.created \\
                --jq .data.user_id
            """)

    @Option(
        help: ArgumentHelp(
            "The address that receives the events, for example localhost:3000/webhooks. Without a scheme, it is http.", valueName: "url"))
    var forwardTo: ForwardAddress?

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp("A type of event. Repeat the option for several types. By default, all types.", valueName: "type"))
    var events: [WebhookEventType] = []

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    /// The largest part of a refusal that is read at once, in bytes.
    private static let longestRefusal = 64 * 1024

    /// The longest wait before the next attempt, in seconds.
    private static let longestWait = 300

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
            var statedWait: Int?
            do {
                var refusal: (response: HTTPURLResponse, body: Data)?
                for try await part in try client.download(
                    call, accepting: "text/event-stream", lastEventID: lastID, after: .get("caller")
                ) {
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
                if let (response, body) = refusal {
                    let failure = client.failure(body, response, of: call)
                    guard response.statusCode == 429 || response.statusCode >= 500 else { throw failure }
                    statedWait = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }.map {
                        min(Self.longestWait, max(1, $0))
                    }
                    Terminal.standardError.report("\(failure.detail) The next attempt follows in \(statedWait ?? wait) s.".printable)
                }
            } catch let failure as Failure {
                throw failure
            } catch {
                Terminal.standardError.report("The connection was lost. The next attempt follows in \(wait) s.")
            }
            // The server ends each stream after 15 minutes.
            try? await Task.sleep(for: .seconds(statedWait ?? wait))
            wait = min(30, wait * 2)
        }
    }

    private func receive(_ event: ServerSentEvents.Event, _ secret: ForwardingSecret) async throws {
        guard let forwarded = ForwardedEvent(event), events.isEmpty || events.contains(where: { $0.rawValue.isSame(as: event.type) })
        else { return }
        if options.json { try Terminal.standardOutput.write(json: forwarded.body, options.jq) }
        var (result, isDelivered) = ("", true)
        if let forwardTo {
            switch await APIClient.exchange(forwarded.request(to: forwardTo.url, signedBy: secret, at: .now)) {
            case .success(let (_, response)):
                (result, isDelivered) = ("  \(response.statusCode)", (200...299).contains(response.statusCode))
            case .failure(let error): (result, isDelivered) = ("  not delivered: \(error.localizedDescription)", false)
            }
        }
        let line = "\(Date.now.formatted(.iso8601))  \(forwarded.type)  \(forwarded.id)\(result)".printable
        if !options.json {
            try Terminal.standardOutput.write(line)
        } else if !isDelivered {
            // The event itself is already in the output.
            Terminal.standardError.report(line)
        }
    }
}
