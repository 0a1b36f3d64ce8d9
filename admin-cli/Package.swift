// swift-tools-version: 6.2
import PackageDescription

/// The settings of the server's package: Swift 6 mode, internal imports and explicit `any`.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")

/// The package of `espalierctl`.
///
/// It is a separate package because it uses only HTTP and shares no code with the server. It sends requests with Foundation's URLSession
/// instead of async-http-client, so that a fresh clone does not compile NIO a second time.
let package = Package(
    name: "espalierctl",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "espalierctl", targets: ["espalierctl"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        // Tests only: the library of the fuzz targets.
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

// `script/fuzz` sets this variable to build the targets for libFuzzer. libFuzzer has its own `main`, so the program's `main` gets another
// name.
if Context.environment["ESPALIER_FUZZ"] != nil {
    let fuzzing: Target.Dependency = .product(name: "Fuzzing", package: "Fuzz")
    let coverage: SwiftSetting = .unsafeFlags(["-sanitize=fuzzer"])
    package.products = []
    package.targets = [
        .target(
            name: "espalierctl", dependencies: [argumentParser, crypto],
            swiftSettings: strict + [
                coverage, .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "espalierctl_main"]),
            ]),
        .target(
            name: "FuzzTargets", dependencies: ["espalierctl", fuzzing], path: "Tests/Fuzz/Targets",
            swiftSettings: strict + [coverage]),
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzTargets", fuzzing, .product(name: "FuzzRunner", package: "Fuzz")], path: "Tests/Fuzz/Runner",
            swiftSettings: strict),
    ]
}
