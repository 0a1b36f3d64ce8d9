import FuzzTargets
import Fuzzing
import Testing

/// Runs each of our parsers with its seeds and their mutations, the same in every run. `script/fuzz` tries more
/// inputs.
@Suite("Fuzz targets")
struct FuzzTests {
    @Test("the properties hold for every seed", arguments: FuzzTarget.all)
    func seeds(_ target: FuzzTarget) {
        #expect(!target.seeds.isEmpty)
        #expect(target.failure(for: target.seeds) == nil)
    }

    @Test("the properties hold for mutations of the seeds", .timeLimit(.minutes(5)), arguments: FuzzTarget.all)
    func mutations(_ target: FuzzTarget) {
        #expect(target.failure(for: target.mutations(2000)) == nil)
    }

    @Test("the properties hold for the largest input of one repeated byte", .timeLimit(.minutes(5)), arguments: FuzzTarget.all)
    func monotony(_ target: FuzzTarget) {
        #expect(target.failure(for: target.monotonies) == nil)
    }

    @Test("targets have distinct names, and a violated property is reported")
    func names() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        let broken = FuzzTarget("broken", seeds: ["ab"]) { try hold($0.count < 3, "it is long") }
        #expect(broken.failure(for: broken.seeds) == nil)
        #expect(broken.failure(for: [[1, 2], [1, 2, 3]]) == "broken: it is long, for \"\\u{01}\\u{02}\\u{03}\", the bytes [1, 2, 3]")
        // Among 2000 mutations, some must be longer. Otherwise, the test would try nothing.
        #expect(broken.failure(for: broken.mutations(2000)) != nil)
        #expect(broken.failure(for: broken.monotonies) != nil)
    }
}
