/// Compares two byte strings in a time that depends only on their lengths, never on the first difference.
///
/// Different lengths are unequal at once, because the length of a MAC or a token is public.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
