package import Foundation

/// A value that writes its JSON itself, without an encoder: a value without members, or an object that many requests need.
package protocol JSONWritable: Encodable {
    func write(to json: inout JSONText) throws
}

extension JSONWritable {
    /// Only `JSONWriter` encodes such a value.
    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? JSONValueEncoder else {
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "Only JSONWriter writes it."))
        }
        try write(to: &encoder.output.text)
    }
}

// MARK: Values without members

extension JSONWritable where Self: BinaryInteger {
    package func write(to json: inout JSONText) { json.append(self) }
}

extension Int: JSONWritable {}
extension Int8: JSONWritable {}
extension Int16: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt: JSONWritable {}
extension UInt8: JSONWritable {}
extension UInt16: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

extension Bool: JSONWritable {
    package func write(to json: inout JSONText) { json.append(self ? "true" : "false") }
}

extension String: JSONWritable {
    package func write(to json: inout JSONText) { json.append(string: self) }
}

extension JSONWritable where Self: BinaryFloatingPoint & CustomStringConvertible {
    package func write(to json: inout JSONText) throws {
        guard isFinite else { throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "JSON has no \(self).")) }
        let text = description
        json.append(unescaped: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}

extension Double: JSONWritable {}
extension Float: JSONWritable {}

extension Date: JSONWritable {
    package func write(to json: inout JSONText) { json.append(self) }
}

extension Data: JSONWritable {
    package func write(to json: inout JSONText) { json.append(string: base64EncodedString()) }
}

extension URL: JSONWritable {
    package func write(to json: inout JSONText) { json.append(string: absoluteString) }
}
