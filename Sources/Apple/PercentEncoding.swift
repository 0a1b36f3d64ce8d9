/// Joins names and values as `application/x-www-form-urlencoded`, in a spelling that is also valid in a URL's query.
///
/// Everything outside RFC 3986's unreserved characters becomes `%XX`, and a space becomes `%20`. A field with a nil
/// value is left out.
func percentEncoded(_ fields: KeyValuePairs<String, String?>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(fields.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) + 16 })
    for (name, value) in fields {
        guard let value else { continue }
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(name, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        append(value, to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
}

private func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "%"))
            bytes.append(hexDigits[Int(byte >> 4)])
            bytes.append(hexDigits[Int(byte & 15)])
        }
    }
}

private let hexDigits = Array("0123456789ABCDEF".utf8)
