// swift-tools-version: 6.2
import PackageDescription

/// Swift 6 mode with features that will become the default. An import is internal by default, a member is visible
/// only through a direct import, and `any` is required.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let fuzzing: Target.Dependency = .product(name: "Fuzzing", package: "Fuzz")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioFoundationCompat: Target.Dependency = .product(name: "NIOFoundationCompat", package: "swift-nio")
let nioFoundationEssentialsCompat: Target.Dependency = .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

/// The targets of the product that most test targets import.
let product: [Target.Dependency] = [
    "Branding", "Pages",
    "PeopleSSO",
    "Domains",
    "Server", "Devices", "Registration", "SignIn", "Accounts", "Sessions",
    "BrowserSessions",
    "APIs", "Signing", "Users", "Sinks", "Billing", "Ledger",
    "Tenancy",
    "ClientKeys",
    "People", "Mail", "Delivery", "Access",
    "AppleButton",
    "Web",
    "Postgres", "Sealing", "Encoding",
]

let package = Package(
    name: "espalier",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "espalier", targets: ["espalier"]),
        .executable(name: "espalier-dev", targets: ["espalier-dev"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
        // Tests only: reads openapi.yaml.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        // Tests only: the parts of fuzz targets, here and in admin-cli.
        .package(path: "Tests/Fuzz"),
    ],
    targets: [
        // The C libraries.
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"]), .brew(["argon2"])]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // The leaves. They import no other leaf except `Encoding`. The simulator and the demo application also import `Web`.
        .target(name: "Encoding"),
        .target(name: "QRCode"),
        .target(name: "Postgres", dependencies: ["CLibPQ", crypto, logging, serviceLifecycle]),
        .target(name: "Sealing", dependencies: ["Encoding", "CArgon2", crypto]),
        .target(name: "Passkeys", dependencies: ["Encoding", crypto]),
        .target(name: "Apple", dependencies: ["Encoding", asyncHTTPClient, crypto, jwtKit, logging, nioCore, nioHTTP1]),
        .target(
            name: "Web",
            dependencies: [
                "Encoding",
                httpTypes, hummingbird, hummingbirdCore, logging, mustache, nioCore, nioHTTP1, nioPosix, serviceLifecycle,
            ]),
        .target(name: "Pages", dependencies: ["Web", "Encoding", crypto, httpTypes, hummingbird]),
        .target(
            name: "AppleButton",
            dependencies: [
                "Web", "Encoding", "CZlib",
                crypto, httpTypes, hummingbird, nioCore,
            ]),
        // It imports Web only for its pages, so that all pages use the same HTML escape.
        .target(
            name: "AppleSimulator",
            dependencies: [
                "Web",
                asyncHTTPClient, crypto, cryptoExtras, httpTypes, hummingbird, jwtKit, logging, nioCore, nioHTTP1, serviceLifecycle,
            ]),
        .target(name: "EmbeddedPostgres", dependencies: ["Encoding", subprocess]),
        .target(
            name: "DemoApplication",
            dependencies: [
                "Web", "Encoding",
                asyncHTTPClient, crypto, httpTypes, hummingbird, jwtKit, logging, nioCore, nioFoundationCompat, nioHTTP1,
                serviceLifecycle,
            ]),

        // The parts of the product. Each imports only targets above it.
        .target(name: "Outbox", dependencies: ["Postgres", logging, serviceLifecycle]),
        // It imports Web only for its threads.
        .target(name: "Factors", dependencies: ["Web", "Sealing", "QRCode", "Encoding", crypto, nioCore]),
        .target(
            name: "Access",
            dependencies: [
                "Web", "Postgres", "Sealing", "Encoding",
                crypto, httpTypes, hummingbird, logging, nioCore, serviceLifecycle,
            ]),
        .target(
            name: "Delivery",
            dependencies: [
                "Access", "Outbox", "Web", "Postgres", "Sealing", "Encoding",
                asyncHTTPClient, crypto, httpTypes, hummingbird, logging, nioCore, nioHTTP1, serviceLifecycle,
            ]),
        .target(
            name: "Mail",
            dependencies: [
                "Access", "Outbox", "Web", "Postgres", "Sealing", "Encoding",
                hummingbird, logging, nioCore, nioPosix, nioSSL, serviceLifecycle,
            ]),
        .target(
            name: "People",
            dependencies: [
                "Mail", "Delivery", "Access", "Pages", "Web", "Postgres", "Sealing", "Encoding",
                httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "ClientKeys",
            dependencies: [
                "Delivery", "Access", "Postgres", "Encoding",
                crypto, cryptoExtras, logging,
            ]),
        .target(
            name: "Tenancy",
            dependencies: [
                "ClientKeys", "People", "Delivery", "Access", "Web", "Postgres", "Sealing", "Apple", "Encoding",
                "Pages",
                httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "Ledger",
            dependencies: [
                "Tenancy", "Access", "Web", "Postgres", "Encoding", "CZlib",
                crypto, hummingbird, logging,
            ]),
        .target(
            name: "Billing",
            dependencies: [
                "Ledger", "Tenancy", "Delivery", "Access", "Web", "Postgres", "Sealing", "Encoding",
                crypto, httpTypes, hummingbird, logging, nioCore, nioPosix, serviceLifecycle,
            ]),
        .target(
            name: "Sinks",
            dependencies: [
                "Ledger", "Tenancy", "Delivery", "Access", "Outbox", "Web", "Postgres", "Sealing", "Encoding",
                httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "Users",
            dependencies: [
                "Tenancy", "Delivery", "Access", "Web", "Postgres", "Sealing", "Apple", "Encoding",
                hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "Signing",
            dependencies: [
                "Tenancy", "Access", "Web", "Postgres", "Sealing", "Encoding",
                crypto, cryptoExtras, hummingbird, logging,
            ]),
        .target(
            name: "APIs",
            dependencies: [
                "Tenancy", "Access", "Web", "Postgres", "Encoding",
                httpTypes, hummingbird,
            ]),
        .target(
            name: "BrowserSessions",
            dependencies: ["Users", "Tenancy", "Access", "Web", "Postgres", "Sealing", "Encoding", httpTypes, hummingbird]),
        .target(
            name: "Sessions",
            dependencies: [
                "BrowserSessions",
                "APIs", "Signing", "Users", "Billing", "Ledger", "Tenancy", "ClientKeys", "Delivery", "Access", "Outbox", "Web", "Postgres",
                "Sealing",
                "Pages",
                "Encoding",
                crypto, httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "Accounts",
            dependencies: [
                "Sessions", "APIs", "Users", "Tenancy", "ClientKeys", "Delivery", "Access", "Outbox", "Web", "Postgres", "Sealing", "Apple",
                "Encoding",
                httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "SignIn",
            dependencies: [
                "BrowserSessions", "AppleButton", "Pages",
                "Accounts", "Sessions", "APIs", "Users", "Tenancy", "ClientKeys", "Mail", "Access", "Web", "Postgres", "Sealing", "Apple",
                "Encoding",
                crypto, httpTypes, hummingbird, logging,
            ]),
        .target(
            name: "Devices",
            dependencies: [
                "SignIn", "Accounts", "BrowserSessions", "Sessions", "APIs", "Users", "Tenancy", "ClientKeys", "Delivery", "Access", "Web",
                "Postgres", "Sealing",
                "Encoding",
                "Pages",
                crypto, httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "AuthKit",
            dependencies: [
                "Devices", "SignIn", "Accounts", "Sessions", "Signing", "Users", "Ledger", "Tenancy", "Delivery", "Access", "Web",
                "Postgres", "Sealing", "Encoding",
                "Pages",
                crypto, httpTypes, hummingbird, nioCore,
            ]),
        .target(
            name: "Mushu",
            dependencies: [
                "SignIn", "Accounts", "Sessions", "Users", "Tenancy", "Access", "Web", "Apple", "Encoding",
                httpTypes, hummingbird,
            ]),
        .target(
            name: "Registration",
            dependencies: [
                "Sessions", "Tenancy", "ClientKeys", "Delivery", "Access", "Web", "Postgres", "Sealing", "Encoding",
                httpTypes, hummingbird, nioCore,
            ]),
        .target(
            name: "Branding",
            dependencies: [
                "Sessions", "Tenancy", "Access", "Pages", "Web", "Postgres", "Encoding", "CZlib",
                crypto, httpTypes, hummingbird, nioCore,
            ]),
        .target(
            name: "Domains",
            dependencies: [
                "APIs", "Tenancy", "Delivery", "Access", "Web", "Postgres", "Encoding",
                httpTypes, hummingbird, logging, nioCore, nioPosix, serviceLifecycle,
            ]),
        .target(
            name: "PeopleSSO",
            dependencies: [
                "Domains", "Tenancy", "ClientKeys", "People", "Delivery", "Access", "Pages", "Web", "Postgres", "Sealing", "Encoding",
                crypto, httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "PeopleSignIn",
            dependencies: [
                "PeopleSSO", "Sessions", "Tenancy", "ClientKeys", "People", "Mail", "Access", "Factors", "Passkeys", "QRCode", "Pages",
                "Web", "Postgres", "Sealing", "Encoding",
                crypto, httpTypes, hummingbird, logging,
            ]),
        .target(
            name: "Terminal",
            dependencies: [
                "PeopleSignIn", "Devices", "Sessions", "ClientKeys", "People", "Access", "Pages", "Web", "Postgres", "Sealing", "Encoding",
                crypto, httpTypes, hummingbird, logging, serviceLifecycle,
            ]),
        .target(
            name: "Server",
            dependencies: [
                "Terminal",
                "PeopleSSO",
                "Branding",
                "Domains",
                "PeopleSignIn", "Factors",
                "AppleButton",
                "AuthKit", "Mushu", "Devices", "Registration", "SignIn", "Accounts", "Sessions", "APIs", "Signing", "Users", "Sinks",
                "Billing",
                "Ledger", "Tenancy",
                "ClientKeys", "People", "Mail", "Delivery",
                "Access",
                "Pages",
                "Outbox", "Web", "Postgres", "Sealing", "Apple", "Encoding", "CMalloc",
                argumentParser, asyncHTTPClient, configuration, httpTypes, hummingbird, logging, nioCore, nioPosix, serviceLifecycle,
                systemPackage, unixSignals,
            ]),
        // Starts everything on one machine, for development. `espalier` does not contain it.
        .target(
            name: "Development",
            dependencies: [
                "Server", "People", "Domains", "Mail", "Tenancy", "Access", "Web", "Postgres", "Sealing", "Apple", "AppleSimulator",
                "DemoApplication", "EmbeddedPostgres", "Encoding",
                argumentParser, crypto, httpTypes, hummingbird, logging, nioCore, nioPosix, serviceLifecycle,
            ]),
        .executableTarget(name: "espalier", dependencies: ["Server"]),
        .executableTarget(name: "espalier-dev", dependencies: ["Development", "Server"]),
        // Measures a release build. script/bench runs it.
        .executableTarget(
            name: "Bench",
            dependencies: [
                "Web", "Postgres", "Apple", "Encoding", "EmbeddedPostgres", "Access", "Billing",
                argumentParser, asyncHTTPClient, crypto, cryptoExtras, httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioPosix,
                serviceLifecycle, subprocess, systemPackage, unixSignals,
            ]),

        // The application of docs/quickstarts/swift-hummingbird.md. script/check-quickstarts runs it.
        .executableTarget(
            name: "QuickstartShop", dependencies: [asyncHTTPClient, crypto, hummingbird, jwtKit], path: "Tests/Quickstart"),

        // Tests, a target each, and what they share.
        .target(
            name: "TestSupport",
            dependencies: [
                "Branding",
                "Domains",
                "Server", "SignIn", "Signing", "Users", "Billing", "Ledger", "Tenancy", "People", "Mail", "Delivery", "Access", "Web",
                "Postgres", "Sealing", "Apple", "Encoding", "AppleSimulator", "EmbeddedPostgres",
                asyncHTTPClient, crypto, cryptoExtras, httpTypes, hummingbird, jwtKit, logging, nioCore, nioFoundationEssentialsCompat,
                nioHTTP1,
                nioPosix, nioSSL, serviceLifecycle, subprocess, systemPackage,
            ],
            path: "Tests/Support"),
        .target(
            name: "FuzzTargets",
            dependencies: product + [
                "AuthKit", "Factors", "Passkeys", "QRCode", "Apple", "AppleSimulator", "DemoApplication",
                crypto, fuzzing, httpTypes, hummingbird, nioCore,
            ],
            path: "Tests/Fuzz/Targets"),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", fuzzing]),
        .testTarget(
            name: "SecurityTests",
            dependencies: [
                "Server", "Tenancy", "Access", "Web", "Postgres", "Sealing", "Encoding", "TestSupport",
                crypto, nioCore, nioHTTP1, nioPosix,
            ]),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "Postgres", "EmbeddedPostgres", "TestSupport",
                logging, serviceLifecycle,
            ]),
        .testTarget(
            name: "AppleButtonTests",
            dependencies: [
                "AppleButton",
                "Server", "Web", "CZlib", "TestSupport",
                httpTypes,
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Web", "Encoding",
                httpTypes, hummingbird, logging, nioCore, nioEmbedded, nioHTTP1, nioPosix,
            ]),
        .testTarget(
            name: "PagesTests",
            dependencies: ["Server", "Pages", "Web", "Encoding", "TestSupport", httpTypes, hummingbird, nioHTTP1]),
        .testTarget(
            name: "OutboxTests",
            dependencies: [
                "Outbox", "Postgres", "EmbeddedPostgres", "TestSupport",
                logging, serviceLifecycle,
            ]),
        .testTarget(
            name: "AccessTests",
            dependencies: [
                "Server", "Access", "Web", "Postgres", "Sealing", "Encoding", "TestSupport",
                httpTypes, hummingbird, nioHTTP1,
            ]),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Server", "AuthKit", "Tenancy", "Delivery", "Access", "Outbox", "Postgres", "TestSupport",
                crypto, logging, nioCore, nioPosix,
            ]),
        .testTarget(
            name: "MailTests",
            dependencies: [
                "Server", "Mail", "Tenancy", "Access", "Outbox", "Web", "Postgres", "Sealing", "Encoding", "TestSupport",
                logging, serviceLifecycle,
            ]),
        .testTarget(
            name: "PeopleTests",
            dependencies: ["Server", "People", "Access", "Postgres", "Sealing", "TestSupport"]),
        .testTarget(
            name: "PeopleSignInTests",
            dependencies: [
                "Server", "PeopleSignIn", "Tenancy", "Pages", "Passkeys", "People", "Factors", "Access", "Web", "Postgres", "Sealing",
                "Encoding",
                "TestSupport",
                httpTypes, hummingbird, logging, nioCore, nioHTTP1,
            ]),
        .testTarget(
            name: "PeopleSSOTests",
            dependencies: [
                "Server", "PeopleSSO", "Domains", "People", "Access", "Postgres", "Sealing", "Encoding", "TestSupport",
                crypto, logging,
            ]),
        .testTarget(
            name: "ClientKeysTests", dependencies: ["ClientKeys", "Access", "Encoding", "TestSupport", crypto, cryptoExtras, logging]),
        .testTarget(
            name: "BrowserSessionsTests",
            dependencies: [
                "Server", "Sessions", "BrowserSessions", "Users", "Tenancy", "Access", "Postgres", "Sealing", "TestSupport", nioHTTP1,
            ]),
        .testTarget(
            name: "TenancyTests",
            dependencies: [
                "Server", "Tenancy", "Access", "Web", "Postgres", "Sealing", "Apple", "Encoding", "TestSupport",
                crypto, cryptoExtras, logging, nioHTTP1,
            ]),
        .testTarget(
            name: "LedgerTests",
            dependencies: [
                "Server", "Billing", "Ledger", "Tenancy", "Access", "Web", "Postgres", "Encoding", "TestSupport",
                logging, nioHTTP1,
            ]),
        .testTarget(
            name: "BillingTests",
            dependencies: [
                "Server", "Billing", "Ledger", "Tenancy", "Access", "Web", "Postgres", "CZlib", "TestSupport",
                httpTypes, logging, nioCore, nioHTTP1,
            ]),
        .testTarget(
            name: "SinksTests",
            dependencies: [
                "Server", "Sinks", "Ledger", "Tenancy", "Access", "Outbox", "Web", "Postgres", "Encoding", "TestSupport",
                httpTypes, hummingbird, hummingbirdCore, logging, nioCore,
            ]),
        .testTarget(
            name: "UsersTests",
            dependencies: [
                "Server", "Users", "Tenancy", "Delivery", "Sessions", "Access", "Postgres", "Sealing", "Apple", "TestSupport",
                logging, nioHTTP1,
            ]),
        .testTarget(
            name: "SigningTests",
            dependencies: [
                "Server", "Signing", "Tenancy", "Access", "Postgres", "Sealing", "Encoding", "TestSupport",
                crypto, jwtKit, logging, nioHTTP1,
            ]),
        .testTarget(
            name: "APIsTests",
            dependencies: ["Server", "APIs", "Tenancy", "Access", "Postgres", "Encoding", "TestSupport", nioHTTP1]),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "Server", "Sessions", "APIs", "BrowserSessions", "ClientKeys", "Signing", "Users", "Tenancy", "Access", "Outbox", "Web",
                "Postgres", "Sealing", "Encoding",
                "TestSupport",
                crypto, jwtKit, logging, nioHTTP1,
            ]),
        .testTarget(
            name: "AccountsTests",
            dependencies: [
                "Server", "Accounts", "Sessions", "Signing", "Users", "Tenancy", "Access", "Outbox", "Web", "Postgres", "Sealing", "Apple",
                "Encoding", "TestSupport",
                asyncHTTPClient, crypto, logging, nioHTTP1,
            ]),
        .testTarget(
            name: "SignInTests",
            dependencies: [
                "BrowserSessions",
                "Server", "SignIn", "Accounts", "Sessions", "Signing", "Users", "Tenancy", "ClientKeys", "Access", "Pages", "Web",
                "Postgres",
                "Sealing",
                "Apple", "Encoding", "Mail", "TestSupport",
                httpTypes, hummingbird, jwtKit, nioCore, nioHTTP1,
            ]),
        .testTarget(
            name: "DevicesTests",
            dependencies: [
                "Server", "Devices", "SignIn", "Sessions", "Users", "Tenancy", "Access", "Web", "Postgres", "Sealing", "Encoding",
                "TestSupport",
                nioHTTP1,
            ]),
        .testTarget(name: "TerminalTests", dependencies: ["Server", "Terminal", "People", "Access", "Postgres", "TestSupport"]),
        .testTarget(
            name: "AuthKitTests",
            dependencies: [
                "Server", "AuthKit", "Access", "Domains", "Tenancy", "Postgres", "Encoding", "TestSupport", crypto, jwtKit, nioHTTP1,
            ]),
        .testTarget(name: "MushuTests", dependencies: ["Server", "Postgres", "TestSupport", crypto]),
        .testTarget(
            name: "RegistrationTests",
            dependencies: ["Server", "Tenancy", "Access", "Postgres", "Encoding", "TestSupport", crypto, nioHTTP1]),
        .testTarget(
            name: "BrandingTests",
            dependencies: [
                "Server", "Branding", "Tenancy", "Access", "Pages", "Web", "Postgres", "Encoding", "TestSupport", "CZlib",
                asyncHTTPClient, crypto, nioCore, nioHTTP1,
            ]),
        .testTarget(
            name: "DomainsTests",
            dependencies: [
                "Server", "Domains", "SignIn", "Tenancy", "Access", "Web", "Postgres", "Encoding", "TestSupport",
                logging, nioCore, nioHTTP1, nioPosix,
            ]),
        .testTarget(name: "ContractTests", dependencies: product + ["TestSupport", crypto, yams]),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "espalier", "Server", "Tenancy", "Mail", "Access", "Web", "Postgres", "Sealing", "Apple", "EmbeddedPostgres", "TestSupport",
                asyncHTTPClient, crypto, logging, nioCore, nioHTTP1,
            ]),
        .testTarget(
            name: "DevelopmentTests",
            dependencies: [
                "espalier", "espalier-dev", "Development", "Domains", "Server", "Mail", "TestSupport", hummingbird, logging, nioCore,
                nioPosix,
            ]),
        .testTarget(
            name: "StoryTests",
            dependencies: [
                "Server", "Tenancy", "Access", "Postgres", "EmbeddedPostgres", "Encoding", "TestSupport",
            ]),
        .testTarget(name: "EncodingTests", dependencies: ["Encoding"]),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"]),
        .testTarget(name: "SealingTests", dependencies: ["Sealing", "Encoding", "CArgon2", crypto]),
        .testTarget(name: "FactorsTests", dependencies: ["Factors", "Sealing", "QRCode", "Encoding"]),
        .testTarget(name: "PasskeysTests", dependencies: ["Passkeys", "Encoding", "TestSupport", crypto]),
        .testTarget(
            name: "AppleTests",
            dependencies: [
                "Apple", "Encoding",
                asyncHTTPClient, crypto, httpTypes, hummingbird, jwtKit, logging, nioCore, nioEmbedded,
            ]),
        .testTarget(
            name: "DemoApplicationTests",
            dependencies: [
                "DemoApplication",
                asyncHTTPClient, crypto, httpTypes, hummingbird, jwtKit, logging, nioCore, nioHTTP1,
            ]),
        .testTarget(
            name: "AppleSimulatorTests",
            dependencies: [
                "AppleSimulator",
                asyncHTTPClient, crypto, httpTypes, hummingbird, jwtKit, logging, nioCore, nioHTTP1, serviceLifecycle,
            ]),
    ]
)

// `script/fuzz` sets this variable and builds into a separate folder. Our code then reports its paths to libFuzzer, and a program
// gives the targets to libFuzzer.
if Context.environment["ESPALIER_FUZZ"] != nil {
    for target in package.targets where target.type == .regular { target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer"])] }
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzTargets", fuzzing, .product(name: "FuzzRunner", package: "Fuzz")],
            path: "Tests/Fuzz/Runner"))
}

// A reader's package does not have the settings, so the quickstart compiles without them.
for target in package.targets where target.type != .system && target.name != "QuickstartShop" {
    target.swiftSettings = (target.swiftSettings ?? []) + strict
}
