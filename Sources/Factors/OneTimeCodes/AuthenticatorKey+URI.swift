import Encoding
package import QRCode
package import Sealing

extension AuthenticatorKey {
    /// The address that an authenticator app opens on the same device: `otpauth://totp/Issuer:account?secret=…&issuer=Issuer` (Key Uri
    /// Format of Google Authenticator). It contains the key.
    ///
    /// The algorithm, the number of digits and the period are absent, because they are the defaults of the format. So the QR code has
    /// fewer modules. It always fits into one: the issuer is cut off at 40 bytes, and the account at the rest. People read them in the app
    /// only to find the right code.
    /// - Parameters:
    ///   - issuer: The name of the product or of the tenant.
    ///   - account: The person's email address.
    package func uri(issuer: String, account: String) -> Secret {
        let name = Self.encode(issuer, upTo: Self.longestIssuer)
        let (start, end) = ("otpauth://totp/\(name):", "?secret=\(bytes.base32)&issuer=\(name)")
        return Secret(start + Self.encode(account, upTo: QRCode.mostBytes - start.utf8.count - end.utf8.count) + end)
    }

    /// The same address as a QR code, for the app on a phone.
    package func qrCode(issuer: String, account: String) -> QRCode {
        guard let code = QRCode(uri(issuer: issuer, account: account).revealBytes()) else {
            preconditionFailure("the address is cut off at the size of a QR code")
        }
        return code
    }

    /// In percent-encoded bytes.
    private static let longestIssuer = 40

    /// A part of the label, percent-encoded (RFC 3986, section 2.1). It is cut off between two code points, so that it stays valid UTF-8.
    /// Colons are left out, because one separates the issuer from the account, encoded or not.
    private static func encode(_ text: String, upTo limit: Int) -> String {
        var encoded = ""
        for scalar in text.unicodeScalars where scalar != ":" {
            let next = Form.encode(String(scalar))
            guard encoded.utf8.count + next.utf8.count <= limit else { break }
            encoded += next
        }
        return encoded
    }
}
