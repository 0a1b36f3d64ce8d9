import Sealing
import Web

extension UsageSinkRoutes {
    /// Asks Stripe for the meter of a sink. Stripe takes meter events without a meter with 200, and never counts them.
    ///
    /// A sink is accepted if Stripe does not respond, because its events wait then anyway. The comparison reports a wrong meter later.
    /// - Parameter isNew: whether the request names the meter. A new secret is accepted for a meter that is wrong, because a leaked secret
    ///   must be replaced at once.
    /// - Throws: `Problem`, `CancellationError`.
    func requireMeter(named name: String, at url: String, _ secret: Secret?, isNew: Bool = true) async throws {
        let stripe = Stripe(url: url, secret: secret, allowsPrivate: allowsPrivate, timeout: .seconds(10))
        do {
            _ = try await stripe.meter(named: name)
        } catch let failure as Stripe.Failure {
            switch (failure.status, failure.reason) {
            case (let status?, _) where [401, 403].contains(status):
                throw Problem(
                    .conflict,
                    "Stripe rejected the sink's secret with HTTP status \(status). Send a `secret` that may read meters.")
            case _ where !isNew: return
            case (_, "meter_not_found"):
                throw Problem.invalid(
                    .init(
                        "event_name",
                        "Stripe has no active meter with this event name. Create the meter, or name another one, and check that the sink's secret is of the same account and mode."
                    ))
            case (_, "meter_not_sum"):
                throw Problem.invalid(
                    .init("event_name", "This meter does not sum `value`. Create a meter at Stripe that does, with another event name."))
            default: return
            }
        }
    }
}
