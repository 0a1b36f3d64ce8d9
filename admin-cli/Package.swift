// swift-tools-version: 6.2
import PackageDescription

/// As in the server's package: Swift 6 mode, internal imports, `any` is written.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// `espalierctl`, a package of its own: it speaks only HTTP and shares no code with the server. It asks through Foundation's URLSession
/// and not async-http-client, so that a fresh clone doesn't compile NIO a second time.
let package = Package(
    name: "espalierctl",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "espalierctl", targets: ["espalierctl"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: [
        .executableTarget(
            name: "espalierctl",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        .testTarget(name: "espalierctlTests", dependencies: ["espalierctl"], swiftSettings: strict),
    ]
)
