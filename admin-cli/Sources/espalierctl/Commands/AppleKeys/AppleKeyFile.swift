import Foundation

/// The file of an Apple key, `AuthKey_XXXXXXXXXX.p8`. Apple lets people download it once.
struct AppleKeyFile {
    let keyID: String
    /// The private key as PEM. It is sent to Espalier and never printed.
    let privateKey: String

    /// Reads the file, and rejects an invalid key before a request is sent.
    /// - Parameters:
    ///   - name: the file, or `-` for the standard input.
    ///   - keyID: the Key ID of the option. By default, the name of the file contains it.
    /// - Throws: ``Failure``, which never contains the text that was read.
    init(_ name: String, keyID: String?) throws(Failure) {
        try self.init(SecretFile.read(name, of: "key file"), name, keyID: keyID)
    }

    init(_ text: String, _ name: String, keyID: String?) throws(Failure) {
        try Self.check(text, name)
        let named = Self.keyID(inName: name)
        if let keyID, let named, !keyID.isSame(as: named) {
            throw Failure(
                status: .usage, detail: "The name of the file \(name) contains the Key ID \(named), but --key-id is \(keyID).",
                nextStep: "Pass the file of \(keyID), or leave --key-id out.")
        }
        guard let id = keyID ?? named else {
            throw Failure(
                status: .usage, detail: "The name of the file \(name) does not contain a Key ID.",
                nextStep: "Pass --key-id. Apple's portal shows the Key ID under Keys, and the name of the downloaded file contains it.")
        }
        guard id.wholeASCIIMatch(of: #/[A-Z0-9]{10}/#) != nil else {
            throw Failure(
                status: .usage, detail: "\(id) is not a Key ID.",
                nextStep: "A Key ID has 10 capital letters and digits. Apple's portal shows it under Keys.")
        }
        (self.keyID, privateKey) = (id, text)
    }

    /// The reason why a file cannot be an Apple key. Nil if it can be one.
    static func refusal(_ name: String) -> String? {
        do throws(Failure) {
            try check(SecretFile.read(name, of: "key file"), name)
            return nil
        } catch {
            return "\(error.detail) \(error.nextStep)"
        }
    }

    /// The Key ID in the name of a file from Apple.
    static func keyID(inName name: String) -> String? {
        let last = name.parts(at: "/").last ?? Substring(name)
        return (last.wholeASCIIMatch(of: #/AuthKey_([A-Z0-9]{10})(?: ?\(\d+\))?\.p8/#)?.1).map(String.init)
    }

    /// Rejects a file that is not an Apple key. The error names the kind of the file from its PEM label.
    private static func check(_ text: String, _ name: String) throws(Failure) {
        guard let label = text.firstMatch(of: #/-----BEGIN ([A-Z0-9 ]+)-----/#)?.1 else {
            throw Failure(
                status: .usage, detail: "\(name) is not a PEM file.",
                nextStep: "Pass the unchanged file from Apple. It begins with -----BEGIN PRIVATE KEY-----.")
        }
        let reason: String
        switch label {
        case "PRIVATE KEY", "EC PRIVATE KEY": return
        case "ENCRYPTED PRIVATE KEY": reason = "is encrypted"
        case "PUBLIC KEY": reason = "is a public key"
        case "RSA PRIVATE KEY": reason = "is an RSA key, but Apple's keys are for ES256"
        case "CERTIFICATE": reason = "is a certificate"
        default: reason = "is not a private key"
        }
        throw Failure(
            status: .usage, detail: "\(name) \(reason).",
            nextStep: "Pass the .p8 file that you downloaded from Apple when you created the key.")
    }
}
