import Foundation
import Testing

/// A reader finds the tests of an action by its name: those of `rotateSigningKeys` are in `RotateSigningKeysTests.swift`.
@Suite("Suites")
struct SuiteTests {
    /// Actions without a suite of their own name. The list may only shrink.
    private static let withoutSuite: Set<String> = [
        "ActivateSharedConnection",
        "AddPlatformAppleKey",
        "AuthorizationServerMetadata",
        "AuthorizationServerMetadataAtRoot",
        "AuthorizeByClient",
        "CheckPlatformConnection",
        "CreatePlatformConnection",
        "CreateRateCard",
        "CreateTenantRateCard",
        "DeleteBudget",
        "DeletePlatformConnection",
        "GetAPIKey",
        "GetBudget",
        "GetEstimatePage",
        "GetFavicon",
        "GetNotification",
        "GetPlatformAPIKey",
        "GetPlatformConnection",
        "GetPlatformNotification",
        "GetPricingPage",
        "GetRateCard",
        "GetSecurityContact",
        "GetSession",
        "GetStatement",
        "GetStatementPage",
        "GetTenantRateCard",
        "GetTransfer",
        "GetUpcomingStatement",
        "GetUpcomingStatementPage",
        "GetUsageExportManifest",
        "GetUserDeletion",
        "IssuePlatformAPIKey",
        "Jwks",
        "ListAllStatements",
        "ListAppleKeys",
        "ListConnections",
        "ListNotifications",
        "ListPlatformAPIKeys",
        "ListPlatformAppleKeys",
        "ListPlatformAuditEvents",
        "ListPlatformNotifications",
        "ListRateCards",
        "ListStatements",
        "ListTenantRateCards",
        "ListTransfers",
        "LogoutByPost",
        "OpenIDConfiguration",
        "OpenIDConfigurationAtRoot",
        "PromotePlatformAppleKey",
        "ReceiveSharedNotification",
        "ReplayPlatformNotification",
        "RetireAppleKey",
        "RetirePlatformAppleKey",
        "RevokeAllSessions",
        "RevokePlatformAPIKey",
        "RevokeUserSessions",
        "RollPlatformAPIKey",
        "SetBudget",
        "SharedAppleCallback",
        "UpdatePlatformConnection",
        "UserInfoByPost",
    ]

    @Test("every action of the spec has a suite with its name, except for the listed ones")
    func actions() throws {
        let folder = URL(filePath: #filePath).appending(path: "../..").standardizedFileURL
        let files = Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { $0.split(separator: "/").last! })
        let missing = try Specification().operations.map { $0.id.prefix(1).uppercased() + $0.id.dropFirst() }
            .filter { !files.contains("\($0)Tests.swift") }
        #expect(Set(missing).subtracting(Self.withoutSuite).sorted() == [], "These actions have no suite of their name.")
        #expect(Self.withoutSuite.subtracting(missing).sorted() == [], "These actions have a suite. Remove them from the list.")
    }
}
