import Access
import Foundation
import Testing

/// Only listed work sees the rows of all owners (`PlatformDatabase.Work`), and no request with a tenant's key is among it.
@Suite("Platform database")
struct PlatformDatabaseTests {
    /// The files that create the database for a work, or that give a transaction its sight, with the works in their order.
    private static let places: [String: [PlatformDatabase.Work]] = [
        "Access/Callers/ActingContext.swift": [.operatorRequest],
        "Access/Callers/KeyContext.swift": [.operatorRequest],
        "Access/Callers/TenantContext.swift": [.operatorRequest],
        "Accounts/AccountJobs.swift": [.revokeAtApple, .processNotification, .eraseUsers, .forgetNotifications],
        "Billing/BillingJobs.swift": [.aggregateUsage, .checkBudgets, .closeMonths, .createPartitions],
        "Development/DemoTenants.swift": [.command],
        "Development/Dev.swift": [.command],
        "Devices/DeviceJobs.swift": [.forgetDeviceAuthorizations],
        "Mail/MailJobs.swift": [.forgetMails],
        "PeopleSignIn/AccountEndpoints.swift": [.signPeopleIn],
        "People/Callers/GetCaller.swift": [.showPerson],
        "People/PeopleJobs.swift": [.forgetPeople, .endSupportAccesses],
        "PeopleSSO/Domains/SSODomainJobs.swift": [.maintainSSODomains],
        "Server/Audit/VerifyAudit.swift": [.command],
        "Server/Installation.swift": [
            .readConfiguration, .readHosts, .findCaller, .findPerson, .saveLastUses, .maintainConnections, .maintainDomains, .purgeTenants,
            .forgetOldRequests, .noteMasterKey,
            .bindDigests, .reportExpiringKeys, .rotateSigningKeys, .forgetUsedTokens, .runOutbox, .pruneWebhooks,
        ],
        "Server/MasterKeys/MasterKeysCommand.swift": [.command],
        "Server/Operators/CreateOperatorCommand.swift": [.command],
        "Server/Preflight.swift": [.command],
        "Server/Seed/SeedCommand.swift": [.command],
        "Server/Usage/ArchiveUsageCommand.swift": [.command],
        "Server/Usage/CloseUsageCommand.swift": [.command],
        "Server/Usage/RestoreUsageCommand.swift": [.command],
        "Server/Usage/VerifyUsageCommand.swift": [.command],
        "Sessions/SessionJobs.swift": [.forgetRevocations],
        "Sinks/SinkJobs.swift": [.deliverUsage, .sendMeterEvents, .compareMeter, .forgetMeterEvents],
        "Tenancy/Connections/ConnectionRoutes.swift": [.useOfSharedConnection],
        "Terminal/TerminalJobs.swift": [.forgetTerminals],
        "Users/Transfers/TransferJobs.swift": [.forgetTransferIdentifiers, .mergeTransferCounts],
    ]

    /// The files of the type itself.
    private static let declaring: Set<String> = ["Access/ScopedDatabase.swift", "Access/Recurring.swift"]

    /// Tools that are not part of the server.
    private static let tools = ["Bench/", "AppleSimulator/", "DemoApplication/"]

    private static func files() throws -> [String: String] {
        let root = URL(filePath: #filePath).appending(path: "../../../Sources").standardizedFileURL
        let names = try #require(FileManager.default.enumerator(atPath: root.path(percentEncoded: false)))
        var files: [String: String] = [:]
        for case let name as String in names where name.hasSuffix(".swift") && !tools.contains(where: name.hasPrefix) {
            files[name] = try String(contentsOf: root.appending(path: name), encoding: .utf8)
        }
        return files
    }

    /// A use of the initializer in any spelling, of the statement, of `Recurring`, or of the setting itself.
    private static func creations(in text: String) -> Int {
        let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        return code.matches(
            of: /PlatformDatabase(?:\.init)?\(|PlatformDatabase\.prelude|PlatformDatabase\s*=\s*\.init|Recurring\(|tenant',\s*'platform'/
        ).count
    }

    /// The works in the order in which a file names them as an argument.
    private static func works(in text: String) -> [String] {
        text.matches(of: /(?:for:|Recurring\()\s*\.(\w+)/).map { String($0.1) }.filter(works.contains)
    }

    private static let works = Set(PlatformDatabase.Work.allCases.map { "\($0)" })

    @Test("the database for a work is created in the listed places, and nowhere else")
    func creations() throws {
        for (file, text) in try Self.files() where !Self.declaring.contains(file) {
            let listed = Self.places[file]?.map { "\($0)" } ?? []
            #expect(Self.works(in: text) == listed, "\(file)")
            // Each creation names its work literally.
            #expect(Self.creations(in: text) == listed.count, "\(file)")
        }
        // Work in the background has one place.
        let all = Self.places.values.joined()
        for work in PlatformDatabase.Work.allCases where work != .operatorRequest && work != .command {
            #expect(all.count { $0 == work } == 1, "\(work)")
        }
    }

    @Test(
        "the search finds each spelling",
        arguments: [
            "PlatformDatabase(pool, for: work)", "PlatformDatabase(\n    pool, for: .command)",
            "PlatformDatabase.init(pool, for: .command)",
            "let all: PlatformDatabase = .init(pool, for: .command)", "pool.run(sql, prelude: PlatformDatabase.prelude(for: .command))",
            "pool.run(sql, prelude: [\"SELECT set_config('espalier.tenant', 'platform', true)\"])",
        ])
    func spellings(_ text: String) {
        #expect(Self.creations(in: text) == 1)
    }

    @Test("background work holds no pool: only `Recurring` turns one into the database for a work")
    func jobs() throws {
        let jobs = try Self.files().filter { file, text in
            text.contains("let database: PlatformDatabase") || text.contains("func handle(_ entry: Outbox.Entry")
        }
        #expect(jobs.count > 15)
        for (file, text) in jobs where file != "Access/Recurring.swift" {
            #expect(!text.contains("DatabasePool"), "\(file)")
        }
    }
}
