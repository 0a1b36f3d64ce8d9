import Foundation
import Fuzzing
@testable import Server

extension FuzzTarget {
    private static let masterKey = "3q2+78r+ur4BI0VniavN7/7cuphqU0IxHg8tPEtaaXg="

    static let server: [FuzzTarget] = [
        // A line `NAME=value` for each setting, in addition to the required ones.
        FuzzTarget(
            text: "settings",
            seeds: [
                "PUBLIC_URL=https://login.test\nPORT=0", "PUBLIC_URL=http://login.test", "PUBLIC_URL=http://[::1]:8080\nHOST=::1",
                "APPLE_TIMEOUT=9223372036854775807", "TRUSTED_PROXIES=-1", "MASTER_KEYS=x", "APPLE_ISSUERS=,", "LOG_LEVEL=loud",
                "WEBHOOKS_ALLOW_PRIVATE=yes", "DATABASE_TLS=unverified", "DATABASE_URL=postgres://u:hidden-password@x@h,i/d",
                "PUBLIC_URL=https://u@login.test/#",
            ]
        ) { text in
            var environment = [
                "ESPALIER_PUBLIC_URL": "https://login.test",
                "ESPALIER_DATABASE_URL": "postgres://u:hidden-password@h/d?sslmode=verify-full",
                "ESPALIER_MASTER_KEYS": masterKey,
            ]
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                environment["ESPALIER_\(parts[0])"] = parts.count == 2 ? String(parts[1]) : ""
            }
            do {
                let settings = try Settings(environment: environment)
                let isLoopback = settings.publicURL.hasPrefix("http://")
                try hold(settings.publicURL.hasPrefix("https://") || isLoopback, "\(settings.publicURL) is served")
                try hold(!settings.publicURL.hasSuffix("/") && !settings.publicURL.contains("#"), "\(settings.publicURL) is served")
                try hold((0...65535).contains(settings.port) && (0...65535).contains(settings.operationsPort), "an invalid port")
                try hold((1...500).contains(settings.databaseConnections.logins), "\(settings.databaseConnections) connections")
            } catch let refusal as Settings.Refusal {
                try hold(!refusal.description.contains(masterKey), "the error shows the master key")
                try hold(!refusal.description.contains("hidden-password"), "the error shows a password")
            }
        },
        FuzzTarget(
            "seed-plan",
            seeds: [
                #"{"tenants":[{"slug":"acme","name":"Acme","plan":"free","applications":[{"name":"Web","kind":"web","redirect_uris":[]}]}]}"#,
                #"{"tenants":[{"slug":"acme","name":"Acme","plan":"free","aplications":[]}]}"#,
                #"{"api_keys":[{"name":"x","scopes":null}]}"#,
            ]
        ) { bytes in
            _ = try? SeedPlan(json: Data(bytes))
        },
    ]
}
