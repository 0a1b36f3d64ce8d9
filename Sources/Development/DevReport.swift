import Access
import DemoApplication
import Foundation
import Server

/// The report of `espalier-dev dev` when everything runs: for a person on standard output, for programs in `dev.json`.
struct DevReport: Sendable {
    let demo: DemoTenants
    let ports: DevPorts
    let simulatorURL: String
    /// Whether this process runs the simulator.
    let hasSimulator: Bool
    let documentation: Documentation
    /// The one-time link for the first operator. Nil if there is an operator.
    let operatorLink: String?
    let directory: URL

    private struct File: Encodable {
        struct App: Encodable {
            let client_id: String
            let client_secret: String?
            let redirect_uri: String
        }
        struct Tenant: Encodable {
            let slug, id, issuer, connection, api_key: String
            let application: App
        }

        let base_url, operations_url, simulator_url, demo_url, mail_url, platform_api_key: String
        let operator_url: String?
        let tenants: [Tenant]
    }

    /// The file with the records of `NameServer`.
    static func records(in folder: URL) -> URL { folder.appending(path: "dns.txt") }

    func publish() throws {
        let tenants = demo.saved.seeded.tenants.map { tenant in
            File.Tenant(
                slug: tenant.slug, id: tenant.id, issuer: "\(ports.baseURL)/t/\(tenant.slug)", connection: tenant.connection,
                api_key: tenant.api_keys[0].secret,
                application: .init(
                    client_id: tenant.applications[0].client_id, client_secret: tenant.applications[0].client_secret,
                    redirect_uri: DemoApplication.redirectURI(publicURL: ports.demoURL, slug: tenant.slug)))
        }
        let file = File(
            base_url: ports.baseURL, operations_url: ports.operationsURL, simulator_url: simulatorURL, demo_url: ports.demoURL,
            mail_url: ports.mailURL, platform_api_key: demo.saved.seeded.api_keys[0].secret, operator_url: operatorLink, tenants: tenants)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try PrivateFile.write(try encoder.encode(file) + Data("\n".utf8), to: directory.appending(path: "dev.json"))
        try PrivateFile.write(try demo.registry(ports) + Data("\n".utf8), to: directory.appending(path: "apple.json"))

        let people =
            operatorLink.map { "Become the first operator. The link works once, for 24 hours:\n\n    \($0)" }
            ?? "Operators and members sign in at \(ports.baseURL)/account/sign-in."
        let path = directory.appending(path: "dev.json").relativePath
        print(
            """

            Espalier is running. Open

                \(ports.demoURL)

            and sign in with Apple: as Acme, with its own Apple credentials, or as Globex, with the shared ones. Acme Shop is a second
            application of Acme.

                Server      \(ports.baseURL)        issuers \(ports.baseURL)/t/acme and …/t/globex
                Operations  \(ports.operationsURL)        /healthz, /readyz, /metrics
                Apple       \(simulatorURL)\(hasSimulator ? "        the simulator" : "        your simulator; register \(directory.appending(path: "apple.json").relativePath) there")
                Docs        \(ports.demoURL)/docs/\(documentation.isBuilt ? "" : "        build them with script/docs")
                API         \(ports.demoURL)/openapi.yaml
                Mail        \(ports.mailURL)        mails that Espalier sends; none is delivered
                DNS         \(Self.records(in: directory).relativePath)        TXT records for the proofs of domains: a name and a value per line

            \(people)

            Count Acme's logins:

                curl -H "Authorization: Bearer \(demo.saved.seeded.tenants[0].api_keys[0].secret)" \\
                    \(ports.baseURL)/v1/tenants/acme/usage

            Programs find all of this in \(path). Ctrl-C stops everything. The data stays.

            """)
        fflush(nil)
    }
}
