import Encoding
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("every byte has two lowercase digits")
    func bytes() {
        let expected = (0...255).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect([UInt8](0...255).hexadecimal == expected)
        #expect([UInt8]().hexadecimal.isEmpty)
        #expect([UInt8]([1, 0xAB])[...].dropFirst().hexadecimal == "ab")
    }
}
