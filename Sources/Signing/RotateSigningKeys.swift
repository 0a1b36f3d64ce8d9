import Access
import Foundation
import Hummingbird
import Tenancy
import Web

private struct Reply: Encodable {
    let object = "signing_key_rotation"
    let compromised: Bool
    /// Of the algorithms that were asked for.
    let signing_keys: [SigningKeyReply]
}

extension SigningKeyRoutes {
    /// Lets the next keys sign at once; or, where somebody else may have the keys, replaces them.
    @Sendable
    func rotateSigningKeys(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.signingKeysWrite)
        _ = try Query(request)
        var fields = try await JSONFields(request, isOptional: true)
        let algorithm = fields.choice("algorithm", SigningKey.Algorithm.self)
        let compromised = fields.flag("compromised") ?? false
        try fields.finish()
        let rotation = SigningKeyRotation(of: call.tenant, pool: pool, keyring: keyring)
        let now = now()
        do {
            let keys =
                compromised
                ? try await rotation.replace(algorithm, by: call.origin, at: now)
                : try await rotation.promote(algorithm, by: call.origin, at: now)
            // Other processes hear of it from the database; this one has no need to wait for that.
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
            var problem = Problem(.conflict, "The tenant or its keys are being changed at this moment. Nothing was rotated; try again.")
            problem.headers[.retryAfter] = "1"
            return problem
        case .none:
            return Problem(
                .conflict,
                "There are no such keys yet: the first sign-in makes them, or an application that is set to their algorithm."
            )
        case .tooSoon(let algorithm, let until):
            var problem = Problem(
                .conflict,
                """
                It is too early to rotate the \(algorithm.rawValue) keys: they can be rotated from \(until.formatted(.iso8601)) on. \
                Nothing was rotated.
                """)
            problem.headers[.retryAfter] = "\(max(1, Int(until.timeIntervalSince(now).rounded(.up))))"
            return problem
        }
    }
}
