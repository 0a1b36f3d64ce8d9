import Fuzzing
import Testing

/// Tests every parser of `espalierctl` with its seeds and with mutations of them.
///
/// The inputs are the same in every run. `script/fuzz` searches for other inputs.
@Suite("Fuzz targets of espalierctl")
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

    @Test("each target has a different name")
    func names() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }
}
