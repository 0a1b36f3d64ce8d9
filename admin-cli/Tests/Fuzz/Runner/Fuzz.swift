import FuzzRunner
import FuzzTargets
import Fuzzing

/// Runs the fuzz targets of `espalierctl` for `script/fuzz`.
@main
struct Fuzz {
    static func main() {
        FuzzRunner(FuzzTarget.all).run()
    }
}
