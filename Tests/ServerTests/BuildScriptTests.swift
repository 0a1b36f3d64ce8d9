import Foundation
import TestSupport
import Testing

/// `script/build` with the test's own `swift` in its PATH.
@Suite("Build script")
struct BuildScriptTests {
    /// Runs the script in its own folder.
    /// - Parameter steps: The step at which the compiler fails, if it does.
    private func run(in folder: URL, failingAt step: Int? = nil) async throws -> Program.Exit {
        for name in ["script", "bin"] {
            try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        let script = folder.appending(path: "script/build")
        if !FileManager.default.fileExists(atPath: script.path) {
            try FileManager.default.copyItem(at: Program.repository.appending(path: "script/build"), to: script)
        }
        let swift = folder.appending(path: "bin/swift")
        try """
        #!/bin/bash
        [[ "$*" == "build --product espalier" ]] || exit 9
        echo "Fetching https://example.com/package"
        for ((step = 0; step <= 500; step++)); do
            echo "[$step/500] Compiling Web File$step.swift"
            if ((step == \(step ?? -1))); then
                printf "/Sources/Web/Form.swift:3:1: error: cannot find 'x' in scope\\n 3 | x\\n"
                exit 1
            fi
        done
        mkdir -p .build/debug
        touch .build/debug/espalier
        chmod +x .build/debug/espalier
        """.write(to: swift, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
        return try await Program.run(
            [script.path, "espalier"], of: URL(filePath: "/bin/bash"),
            environment: ["PATH": "\(folder.appending(path: "bin").path):/usr/bin:/bin"])
    }

    @Test("a build shows its steps and the duration of the last build of its kind")
    func steps() async throws {
        let folder = try TemporaryFolder()
        let first = try await run(in: folder.url)
        #expect(first.code == 0)
        #expect(first.errors.hasPrefix("Building espalier: first build."))
        #expect(first.errors.contains("\nFetching https://example.com/package\n"))
        let steps = first.errors.split(separator: "\n").filter { $0.hasPrefix("[") }
        #expect(steps.count == 11)
        #expect(steps.last == "[500/500] Compiling Web File500.swift")
        #expect(first.errors.contains("\nBuilt in "))

        #expect(try await run(in: folder.url).errors.hasPrefix("Building espalier: incremental build.\n"))
        try folder.write(".build/build-times/espalier-incremental", "75\n")
        let third = try await run(in: folder.url)
        #expect(third.errors.hasPrefix("Building espalier: incremental build. The last one took 1 min 15 s.\n"))
    }

    @Test("a failed build shows the compiler's errors without the earlier steps, and records no duration")
    func failure() async throws {
        let folder = try TemporaryFolder()
        let run = try await run(in: folder.url, failingAt: 321)
        #expect(run.code == 1)
        #expect(run.errors.contains("error: cannot find 'x' in scope\n 3 | x\n"))
        #expect(run.errors.contains("The build of espalier failed after "))
        #expect(!run.errors.contains("[321/500]"))
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: ".build/build-times/espalier-first").path))
    }
}
