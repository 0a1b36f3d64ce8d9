import PackageDescription

// swift-tools-version: 6.2

/// As in the server's package: Swift 6 mode, internal imports, `any` is written.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// What fuzz targets are made of. A package of its own, since those of the server and those of `espalierctl`, which shares no code
/// with it, are of the same kind.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Fuzzing", targets: ["Fuzzing"])],
    targets: [.target(name: "Fuzzing", path: "Fuzzing", swiftSettings: strict)]
)

// For `script/fuzz` alone: libFuzzer has to be linked.
if Context.environment["ESPALIER_FUZZ"] != nil {
    package.products.append(.library(name: "FuzzRunner", targets: ["FuzzRunner"]))
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "CLibFuzzer"),
        .target(name: "FuzzRunner", dependencies: ["Fuzzing", "CLibFuzzer"], path: "FuzzRunner", swiftSettings: strict),
    ]
}
