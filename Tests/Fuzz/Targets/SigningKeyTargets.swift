import Access
import Crypto
import Encoding
import Foundation
import Fuzzing
import Sealing
@testable import Sessions
@testable import Signing
import Tenancy

extension FuzzTarget {
    private static let tenant = ID<Tenant>("tenant_01ab3d1v3q0000000000000000")!
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)
    private static let issuer = "https://login.test/t/acme"
    private static let good = text("at+jwt", claims())
    private static let hint = text(
        "JWT",
        #"{"iss":"\#(issuer)","aud":"app_01ab3d1v3q0000000000000003","sid":"session_01ab3d1v3q0000000000000001","#
            + #""sub":"user_01ab3d1v3q0000000000000002"}"#)

    static let signingKeys: [FuzzTarget] = [
        FuzzTarget(
            text: "our-token", upTo: 5000,
            seeds: [
                good, hint, "..", "\(good).", ".\(good)", String(good.dropLast()), String(good.split(separator: ".")[1]),
                "eyJhbGciOiJub25lIiwia2lkIjoia2V5XzAxYWIzZDF2M3EwMDAwMDAwMDAwMDAwMDA0IiwidHlwIjoiYXQrand0In0.e30.",
            ]
        ) { token in
            // Our keys sign only the values here. The second spelling of a signature (n − s) is not a mutation of the first.
            let isGood = keys.accessToken(token, of: tenant, issuers: [issuer], at: now) != nil
            try hold(isGood == token.isExactly(good), "\(isGood ? "a forged token passed" : "the good one did not pass")")
            let isHint = keys.hint(token) { $0.isSame(as: issuer) } != nil
            try hold(isHint == token.isExactly(hint), "\(isHint ? "a forged hint passed" : "the good one did not pass")")
        },
        // Signed by us, so that the claims behind the signature are reached.
        FuzzTarget(
            "access-token-claims", upTo: 1024,
            seeds: [
                claims(), claims(exp: "1795000000"), claims(exp: "1e300"), claims(exp: "-9223372036854775808"),
                claims(tenant: "tenant_01ab3d1v3q0000000000000009"), claims(exp: "1.5"), "{}", "[]", "\u{0}",
            ]
        ) { bytes in
            let token = text("at+jwt", bytes)
            guard let claims = keys.accessToken(token, of: tenant, issuers: [issuer], at: now) else { return }
            try hold(claims.iss == issuer && claims.tid == tenant, "a token of another tenant passed")
            try hold(TimeInterval(claims.exp) > now.timeIntervalSince1970, "an old token passed")
            try hold(keys.hint(token) { $0.isSame(as: issuer) } == nil, "it is accepted as an id_token")
            try hold(keys.accessToken(token, of: tenant, issuers: [issuer + "/"], at: now) == nil, "it is accepted elsewhere")
        },
    ]

    private static func claims(exp: String = "1795003600", tenant: String = "tenant_01ab3d1v3q0000000000000000") -> String {
        """
        {"iss":"\(issuer)","aud":"\(issuer)","sub":"user_01ab3d1v3q0000000000000005","client_id":"app_01ab3d1v3q0000000000000003",\
        "tid":"\(tenant)","sid":"session_01ab3d1v3q0000000000000001","iat":1795000000,"exp":\(exp),"jti":"j","scope":"openid",\
        "user_type":"apple"}
        """
    }

    private static func text(_ type: String, _ claims: String) -> String { text(type, Array(claims.utf8)) }

    private static func text(_ type: String, _ claims: [UInt8]) -> String {
        let input = "\(Array(#"{"alg":"ES256","kid":"\#(key.keyID)","typ":"\#(type)"}"#.utf8).base64URL).\(claims.base64URL)"
        return "\(input).\((try? key.signature(of: input)) ?? "")"
    }

    private static let keys = SigningKeys.KeySet([key])
    private static let key = SigningKey(
        id: ID("key_01ab3d1v3q0000000000000004")!, state: .current, algorithm: .ES256,
        jwk: SigningKey.JWK(kty: "EC", alg: "ES256", kid: ""),
        privateKey: .es256(try! P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))))
}
