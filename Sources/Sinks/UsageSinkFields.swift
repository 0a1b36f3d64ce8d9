import Delivery
import Sealing
import Web

extension JSONFields {
    mutating func sinkURL(isRequired: Bool, allowsPrivate: Bool) -> String? {
        text("url", 1...2000, isRequired: isRequired) { WebhookURL.refusal(of: $0, allowsPrivate: allowsPrivate) }
    }

    /// Customers and meters are read from the same server that receives meter events.
    static func stripeURLRefusal(_ url: String) -> Problem.Field? {
        Stripe.isMeterEvents(url) ? nil : .init("url", "A sink of the format `stripe` needs a URL that ends in `\(Stripe.path)`.")
    }

    /// The value for `Authorization`, which must be ASCII.
    mutating func sinkSecret(isRequired: Bool) -> Secret? {
        text("secret", 1...500, isRequired: isRequired) { text in
            text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? nil : "It must have only visible ASCII characters."
        }.map { Secret($0) }
    }

    mutating func sinkEventName(isRequired: Bool) -> String? {
        text("event_name", 1...100, isRequired: isRequired)
    }
}
