import Fuzzing
import Testing

/// Every parser of `espalierctl`, with its seeds and with mutations of them: the same at every run. `script/fuzz` looks further.
@Suite("Fuzz targets of espalierctl")
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

    @Test("targets are told apart by their names")
    func names() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }
}
