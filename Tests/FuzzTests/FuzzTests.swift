import FuzzTargets
import Testing

/// Every parser of ours, with its seeds and with mutations of them: the same at every run. `script/fuzz` looks further.
@Suite("Fuzz targets")
struct FuzzTests {
    @Test("what must hold holds for every seed", arguments: FuzzTarget.all)
    func seeds(_ target: FuzzTarget) throws {
        #expect(!target.seeds.isEmpty)
        for seed in target.seeds { try Self.expectHolds(target, seed) }
    }

    @Test("it holds for mutations of the seeds", .timeLimit(.minutes(5)), arguments: FuzzTarget.all)
    func mutations(_ target: FuzzTarget) throws {
        var mutator = Mutator(seed: 2026)
        for _ in 0..<2000 { try Self.expectHolds(target, mutator.mutation(of: target.seeds, upTo: target.largest)) }
    }

    @Test("it holds for the largest input, all of one byte", .timeLimit(.minutes(5)), arguments: FuzzTarget.all)
    func monotony(_ target: FuzzTarget) throws {
        for byte in Array(#"&=,;.:/-"[{% A0"#.utf8) + [0, 0x0A, 0xC3, 0xFF] {
            try Self.expectHolds(target, [UInt8](repeating: byte, count: target.largest))
        }
    }

    @Test("targets are told apart by their names, and what does not hold is told")
    func names() throws {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        let broken = FuzzTarget(name: "broken") { $0.count < 3 }
        try broken.run([1, 2])
        #expect(throws: FuzzTarget.Broken.self) { try broken.run([1, 2, 3]) }
    }

    private static func expectHolds(_ target: FuzzTarget, _ input: [UInt8]) throws {
        do { try target.run(input) } catch {
            Issue.record("\(target): \(error), for \(String(decoding: input, as: UTF8.self).debugDescription), the bytes \(input)")
        }
    }
}
