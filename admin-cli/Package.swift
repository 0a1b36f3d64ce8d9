// swift-tools-version: 6.2
import PackageDescription

/// As in the server's package: Swift 6 mode, internal imports, `any` is written.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")

/// `espalierctl`, a package of its own: it speaks only HTTP and shares no code with the server. It asks through Foundation's URLSession
/// and not async-http-client, so that a fresh clone doesn't compile NIO a second time.
let package = Package(
    name: "espalierctl",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "espalierctl", targets: ["espalierctl"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        // Tests only: what fuzz targets are made of.
        .package(path: "../Tests/Fuzz"),
    ],
    targets: [
        .executableTarget(
            name: "espalierctl",
            dependencies: [argumentParser, crypto],
            swiftSettings: strict),
        .testTarget(name: "espalierctlTests", dependencies: ["espalierctl", crypto], swiftSettings: strict),
        .testTarget(
            name: "FuzzTests", dependencies: ["espalierctl", .product(name: "Fuzzing", package: "Fuzz")], path: "Tests/Fuzz",
            exclude: ["Runner"], swiftSettings: strict),
    ]
)

// `script/fuzz` sets this: the targets for libFuzzer, which has a program of its own. Ours lends its code, and its `main` goes by
// another name.
if Context.environment["ESPALIER_FUZZ"] != nil {
    let fuzzing: Target.Dependency = .product(name: "Fuzzing", package: "Fuzz")
    let tellsWays: SwiftSetting = .unsafeFlags(["-sanitize=fuzzer"])
    package.products = []
    package.targets = [
        .target(
            name: "espalierctl", dependencies: [argumentParser, crypto],
            swiftSettings: strict + [
                tellsWays, .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "espalierctl_main"]),
            ]),
        .target(
            name: "FuzzTargets", dependencies: ["espalierctl", fuzzing], path: "Tests/Fuzz/Targets",
            swiftSettings: strict + [tellsWays]),
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzTargets", fuzzing, .product(name: "FuzzRunner", package: "Fuzz")], path: "Tests/Fuzz/Runner",
            swiftSettings: strict),
    ]
}
