import FuzzTargets
import Fuzzing
import Testing

/// Every parser of ours, with its seeds and with mutations of them: the same at every run. `script/fuzz` looks further.
@Suite("Fuzz targets")
struct FuzzTests {
    @Test("what must hold holds for every seed", arguments: FuzzTarget.all)
    func seeds(_ target: FuzzTarget) {
        #expect(!target.seeds.isEmpty)
        #expect(target.failure(for: target.seeds) == nil)
    }

    @Test("it holds for mutations of the seeds", .timeLimit(.minutes(5)), arguments: FuzzTarget.all)
    func mutations(_ target: FuzzTarget) {
        #expect(target.failure(for: target.mutations(2000)) == nil)
    }

    @Test("it holds for the largest input, all of one byte", .timeLimit(.minutes(5)), arguments: FuzzTarget.all)
    func monotony(_ target: FuzzTarget) {
        #expect(target.failure(for: target.monotonies) == nil)
    }

    @Test("targets are told apart by their names, and what does not hold is told")
    func names() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        let broken = FuzzTarget("broken", seeds: ["ab"]) { try hold($0.count < 3, "it is long") }
        #expect(broken.failure(for: broken.seeds) == nil)
        #expect(broken.failure(for: [[1, 2], [1, 2, 3]]) == "broken: it is long, for \"\\u{01}\\u{02}\\u{03}\", the bytes [1, 2, 3]")
        // Of two thousand mutations some are longer, or nothing is tried.
        #expect(broken.failure(for: broken.mutations(2000)) != nil)
        #expect(broken.failure(for: broken.monotonies) != nil)
    }
}
