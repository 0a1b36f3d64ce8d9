import Access
import Encoding
import Foundation
import Sealing
package import Server
@testable package import Signing
import Tenancy

extension TestPlatform {
    /// Signs any claims with the tenant's current key. No attacker can do this, so only the claims or the header can be invalid.
    /// - Parameter keys: the keys of a process. By default, they are read again.
    package func sign(
        _ claims: [String: any Sendable], _ tenant: SeedResult.TenantResult? = nil, header: [String: any Sendable] = [:],
        by algorithm: SigningKey.Algorithm = .ES256, with keys: SigningKeys? = nil
    ) async throws -> String {
        let keys = keys ?? SigningKeys(pool: pool, keyring: settings.keyring, now: { Date() })
        let key = try await keys.current(algorithm, of: ID((tenant ?? acme).id)!)
        let header = ["alg": algorithm.rawValue, "kid": key.keyID, "typ": "JWT"].merging(header) { $1 }
        func part(_ members: [String: any Sendable]) throws -> String {
            [UInt8](try JSONSerialization.data(withJSONObject: members)).base64URL
        }
        let input = "\(try part(header)).\(try part(claims))"
        return "\(input).\(try key.signature(of: input))"
    }
}
