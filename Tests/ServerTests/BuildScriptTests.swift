import Foundation
import Testing

/// `script/build` with the test's own `swift` in its PATH.
@Suite("Build script")
struct BuildScriptTests {
    private struct Run {
        let status: Int32
        let said: String
    }

    /// Runs the script in its own folder.
    /// - Parameter steps: The step at which the compiler fails, if it does.
    private func run(in folder: URL, failingAt step: Int? = nil) throws -> Run {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        for name in ["script", "bin"] {
            try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        let script = folder.appending(path: "script/build")
        if !FileManager.default.fileExists(atPath: script.path) {
            try FileManager.default.copyItem(at: root.appending(path: "script/build"), to: script)
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
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [script.path, "espalier"]
        process.environment = ["PATH": "\(folder.appending(path: "bin").path):/usr/bin:/bin"]
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return Run(status: process.terminationStatus, said: said)
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "espalier-build-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test("a build shows its steps and the duration of the last build of its kind")
    func steps() throws {
        try withFolder { folder in
            let first = try run(in: folder)
            #expect(first.status == 0)
            #expect(first.said.hasPrefix("Building espalier: first build."))
            #expect(first.said.contains("\nFetching https://example.com/package\n"))
            let steps = first.said.split(separator: "\n").filter { $0.hasPrefix("[") }
            #expect(steps.count == 11)
            #expect(steps.last == "[500/500] Compiling Web File500.swift")
            #expect(first.said.contains("\nBuilt in "))

            #expect(try run(in: folder).said.hasPrefix("Building espalier: incremental build.\n"))
            let time = folder.appending(path: ".build/build-times/espalier-incremental")
            try "75\n".write(to: time, atomically: true, encoding: .utf8)
            #expect(try run(in: folder).said.hasPrefix("Building espalier: incremental build. The last one took 1 min 15 s.\n"))
        }
    }

    @Test("a failed build shows the compiler's errors without the earlier steps, and records no duration")
    func failure() throws {
        try withFolder { folder in
            let run = try run(in: folder, failingAt: 321)
            #expect(run.status == 1)
            #expect(run.said.contains("error: cannot find 'x' in scope\n 3 | x\n"))
            #expect(run.said.contains("The build of espalier failed after "))
            #expect(!run.said.contains("[321/500]"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: ".build/build-times/espalier-first").path))
        }
    }
}
