import Access
import Foundation
import Hummingbird
import Tenancy
import Web

private struct Reply: Encodable {
    let object = "signing_key_rotation"
    let compromised: Bool
    /// The keys of the requested algorithms.
    let signing_keys: [SigningKeyReply]
}

extension SigningKeyRoutes {
    /// Lets the next keys sign at once, or replaces all keys if they may be compromised.
    @Sendable
    func rotateSigningKeys(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.signingKeysWrite)
        try call.requireRecentSignIn(at: now())
        _ = try Query(request)
        var fields = try await JSONFields(request, isOptional: true)
        let algorithm = fields.choice("algorithm", SigningKey.Algorithm.self)
        let compromised = fields.flag("compromised") ?? false
        try fields.finish()
        let rotation = SigningKeyRotation(of: call.tenant, database: call.database(pool), keyring: keyring)
        let now = now()
        do {
            let keys =
                compromised
                ? try await rotation.replace(algorithm, by: call.origin, at: now)
                : try await rotation.promote(algorithm, by: call.origin, at: now)
            // The database notifies other processes. This process does not wait for that.
            signingKeys.forget(call.tenant.uuid)
            return try .json(Reply(compromised: compromised, signing_keys: keys))
        } catch let refusal as SigningKeyRotation.Refusal {
            throw refusal.problem(at: now)
        }
    }
}

extension SigningKeyRotation.Refusal {
    fileprivate func problem(at now: Date) -> Problem {
        switch self {
        case .busy:
            var problem = Problem(.conflict, "Another request is changing the tenant or its keys. Nothing was rotated. Retry in a second.")
            problem.headers[.retryAfter] = "1"
            return problem
        case .none:
            return Problem(
                .conflict,
                "The tenant has no such keys yet. The first sign-in creates ES256 keys. An application set to RS256 creates RS256 keys."
            )
        case .tooSoon(let algorithm, let until):
            var problem = Problem(
                .conflict,
                """
                The \(algorithm.rawValue) keys cannot be rotated before \(until.formatted(.iso8601)). \
                Nothing was rotated.
                """)
            problem.headers[.retryAfter] = "\(max(1, Int(until.timeIntervalSince(now).rounded(.up))))"
            return problem
        }
    }
}
