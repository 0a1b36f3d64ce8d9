/// Compares two byte strings in a time that depends on their lengths alone, never on where they first differ.
///
/// Different lengths are unequal at once: the length of a MAC or a token is no secret.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
