import Encoding
import Testing

@Suite("System randomness")
struct SystemRandomnessTests {
    @Test("a number is handed out once, also to many threads at a time")
    func distinct() async {
        let perTask = 10_000
        let numbers = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let random = SystemRandomness()
                    return (0..<perTask).map { _ in random.next() }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        // Two of 80,000 random numbers are equal once in 6 billion runs.
        #expect(Set(numbers).count == 8 * perTask)
    }

    @Test("every bit is one half of the time, at every position in a block")
    func bits() {
        let random = SystemRandomness()
        // Each position of a block of 32 numbers, 1,000 times.
        var ones = [Int](repeating: 0, count: 32 * 64)
        for _ in 0..<1000 {
            for position in 0..<32 {
                let number = random.next()
                for bit in 0..<64 where number >> bit & 1 == 1 { ones[position * 64 + bit] += 1 }
            }
        }
        // 500 with a standard deviation of 16. One of 2,048 counts is 10 deviations away less than once in 10¹⁹ runs.
        #expect(ones.allSatisfy { (340...660).contains($0) })
    }
}
