import Sealing
import Web

extension UsageSinkRoutes {
    /// Checks the meter of a sink at Stripe. Stripe responds with 200 to meter events without a meter, and never counts them.
    ///
    /// If Stripe does not respond, the sink is accepted, because its events wait anyway. The comparison reports a wrong meter later.
    /// - Parameter isNew: whether the request names the meter. A new secret is accepted even for a wrong meter, because a leaked secret
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
                    "Stripe rejected the sink's secret with HTTP status \(status). Send a `secret` that can read meters.")
            case _ where !isNew: return
            case (_, "meter_not_found"):
                throw Problem.invalid(
                    .init(
                        "event_name",
                        "Stripe has no active meter with this event name. Create it or use another name. The secret must belong to the same account and mode."
                    ))
            case (_, "meter_not_sum"):
                throw Problem.invalid(
                    .init("event_name", "This meter does not sum `value`. Create one that does, with another event name."))
            default: return
            }
        }
    }
}
