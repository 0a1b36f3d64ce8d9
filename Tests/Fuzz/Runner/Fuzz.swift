import FuzzRunner
import FuzzTargets
import Fuzzing

/// The targets of the server's package, for `script/fuzz`.
@main
struct Fuzz {
    static func main() {
        FuzzRunner(FuzzTarget.all).run()
    }
}
