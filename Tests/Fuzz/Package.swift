import PackageDescription

// swift-tools-version: 6.2

/// As in the server's package: Swift 6 mode, internal imports, `any` is required.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// The parts of fuzz targets. It is a separate package, because the server and `espalierctl` both use it and share no other code.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Fuzzing", targets: ["Fuzzing"])],
    targets: [.target(name: "Fuzzing", path: "Fuzzing", swiftSettings: strict)]
)

// Only for `script/fuzz`, because libFuzzer must be linked.
if Context.environment["ESPALIER_FUZZ"] != nil {
    package.products.append(.library(name: "FuzzRunner", targets: ["FuzzRunner"]))
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "CLibFuzzer"),
        .target(name: "FuzzRunner", dependencies: ["Fuzzing", "CLibFuzzer"], path: "FuzzRunner", swiftSettings: strict),
    ]
}
