import FuzzRunner
import FuzzTargets
import Fuzzing

/// The targets of `espalierctl`, for `script/fuzz`.
@main
struct Fuzz {
    static func main() {
        FuzzRunner(FuzzTarget.all).run()
    }
}
