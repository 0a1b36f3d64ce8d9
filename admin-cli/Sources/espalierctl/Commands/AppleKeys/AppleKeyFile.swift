import Foundation

/// A private key as Apple lets people download it, once: `AuthKey_XXXXXXXXXX.p8`.
struct AppleKeyFile {
    let keyID: String
    /// PEM. Sent to Espalier, and shown to nobody.
    let privateKey: String

    /// Reads it, and finds what is certainly wrong before anything is sent.
    /// - Parameters:
    ///   - name: the file, or `-` for the standard input.
    ///   - keyID: what the caller says; otherwise the file's name does.
    /// - Throws: ``Failure``, which never repeats what was read.
    init(_ name: String, keyID: String?) throws(Failure) {
        try self.init(SecretFile.read(name, of: "key file"), name, keyID: keyID)
    }

    init(_ text: String, _ name: String, keyID: String?) throws(Failure) {
        try Self.refuse(text, name)
        let named = Self.keyID(inName: name)
        if let keyID, let named, !keyID.isSame(as: named) {
            throw Failure(
                status: .usage, detail: "The file \(name) holds, by its name, the key \(named), but --key-id says \(keyID).",
                nextStep: "Pass the file of \(keyID), or leave --key-id out.")
        }
        guard let id = keyID ?? named else {
            throw Failure(
                status: .usage, detail: "The file \(name) doesn't say its Key ID.",
                nextStep: "Pass --key-id; Apple's portal shows it under Keys, and in the name of the file it gave you.")
        }
        guard id.wholeASCIIMatch(of: #/[A-Z0-9]{10}/#) != nil else {
            throw Failure(
                status: .usage, detail: "\(id) is no Key ID.",
                nextStep: "A Key ID has 10 capital letters and digits; Apple's portal shows it under Keys.")
        }
        (self.keyID, privateKey) = (id, text)
    }

    /// The reason why a file cannot be an Apple key; nil if it can.
    static func refusal(_ name: String) -> String? {
        do throws(Failure) {
            try refuse(SecretFile.read(name, of: "key file"), name)
            return nil
        } catch {
            return "\(error.detail) \(error.nextStep)"
        }
    }

    /// The Key ID in a name that Apple gave.
    static func keyID(inName name: String) -> String? {
        let last = name.parts(at: "/").last ?? Substring(name)
        return (last.wholeASCIIMatch(of: #/AuthKey_([A-Z0-9]{10})(?: ?\(\d+\))?\.p8/#)?.1).map(String.init)
    }

    /// Says which file it is instead of Apple's, by its PEM label.
    private static func refuse(_ text: String, _ name: String) throws(Failure) {
        guard let label = text.firstMatch(of: #/-----BEGIN ([A-Z0-9 ]+)-----/#)?.1 else {
            throw Failure(
                status: .usage, detail: "\(name) is no PEM file.",
                nextStep: "Pass the file as Apple gave it; it begins with -----BEGIN PRIVATE KEY-----.")
        }
        let reason: String
        switch label {
        case "PRIVATE KEY", "EC PRIVATE KEY": return
        case "ENCRYPTED PRIVATE KEY": reason = "is encrypted"
        case "PUBLIC KEY": reason = "is a public key"
        case "RSA PRIVATE KEY": reason = "is an RSA key, and Apple's are for ES256"
        case "CERTIFICATE": reason = "is a certificate"
        default: reason = "is no private key"
        }
        throw Failure(
            status: .usage, detail: "\(name) \(reason).", nextStep: "Pass the .p8 file that Apple gave you when the key was made.")
    }
}
