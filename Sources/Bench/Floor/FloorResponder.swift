import Crypto
import CryptoExtras
import HTTPTypes
import Hummingbird
import NIOCore
import Postgres
import Web

/// Answers the load's requests with as little work as possible.
struct FloorResponder: HTTPResponder {
    let pool: DatabasePool
    let signatures: FloorSignatures
    let texts: FloorTexts
    let apple: FloorApple

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let path = (request.head.path ?? "").utf8
        if request.method == .get {
            if path.starts(with: "/t/".utf8) { return redirect(.found, to: texts.toApple, [.setCookie: texts.cookie]) }
            // The remaining paths are those of the API and /readyz.
            try await roundTrip()
            return json(texts.tenant)
        }
        let form = try await request.body.collect(upTo: 1 << 16).readableBytesView
        if path.starts(with: "/auth/".utf8) { return try await callback(form) }
        if path.suffix(10).elementsEqual("introspect".utf8) {
            try signatures.verifyAccessToken()
            try await roundTrip()
            return json(texts.introspection)
        }
        try await roundTrip()
        // An access token and an id_token.
        for _ in 0..<2 { try signatures.sign() }
        return json(texts.tokens)
    }

    private func callback(_ form: ByteBufferView) async throws -> Response {
        let fields = form.split(separator: UInt8(ascii: "&"))
        guard let code = fields.first(where: { $0.starts(with: "code=".utf8) }) else { throw Stage.Failure("a form without a code") }
        try signatures.verifyIDToken()
        // Espalier reads a returning user once, after the call. It saves a new user before the call, and Apple's refresh token after it.
        if fields.contains(where: { $0.starts(with: "user=".utf8) }) { try await roundTrip() }
        try await apple.redeem(code)
        try signatures.verifyIDToken()
        try await roundTrip()
        return redirect(.seeOther, to: texts.toApplication, [:])
    }

    /// Row-level security needs the first statement in each transaction.
    private func roundTrip() async throws {
        _ = try await pool.run(
            ["SELECT 1 AS one"], prelude: ["SELECT set_config('espalier.tenant', \(Self.tenant)::text, true)"], isRepeatable: true)
    }

    private static let tenant = "00000000-0000-7000-8000-000000000000"

    private func redirect(_ status: HTTPResponse.Status, to location: String, _ headers: HTTPFields) -> Response {
        var headers = headers
        headers[.location] = location
        headers[.contentLength] = "0"
        return Response(status: status, headers: headers)
    }

    private func json(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .contentLength: "\(text.utf8.count)", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// The signatures of a login's tokens, always over the same text.
struct FloorSignatures {
    private let own = P256.Signing.PrivateKey()
    private let ownSignature: P256.Signing.ECDSASignature
    private let apple: _RSA.Signing.PublicKey
    private let appleSignature: _RSA.Signing.RSASignature
    private let text = Array(repeating: UInt8(ascii: "x"), count: 600)

    init() throws {
        let apple = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        ownSignature = try own.signature(for: text)
        appleSignature = try apple.signature(for: text, padding: .insecurePKCS1v1_5)
        self.apple = apple.publicKey
    }

    func sign() throws {
        _ = try own.signature(for: text)
    }

    func verifyAccessToken() throws {
        guard own.publicKey.isValidSignature(ownSignature, for: text) else { throw Stage.Failure("the signature is invalid") }
    }

    func verifyIDToken() throws {
        guard apple.isValidSignature(appleSignature, for: text, padding: .insecurePKCS1v1_5)
        else { throw Stage.Failure("Apple's signature is invalid") }
    }
}
