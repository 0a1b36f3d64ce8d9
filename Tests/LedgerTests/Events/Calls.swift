import Foundation
import TestSupport

extension TestPlatform {
    /// The response of `getUsage` about a tenant, by default Acme, to an operator.
    func usage(of tenant: String = "acme", _ query: String) async throws -> TestBrowser.Answer {
        try await call("GET", "/tenants/\(tenant)/usage?\(query)")
    }

    /// The windows of a response, each as one text: start, groups, logins/users, and the silent sign-ins if there are any.
    func windows(of tenant: String = "acme", _ query: String) async throws -> [String] {
        let answer = try await usage(of: tenant, query)
        let windows = answer.json["windows"] as? [[String: any Sendable]] ?? []
        guard answer.status == 200 else { return ["\(answer.status) \(answer.body)"] }
        return windows.map { window in
            let parts = [window["from"] as? String, window["connection"] as? String, window["kind"] as? String].compactMap(\.self)
            let silent = window["silent_logins"] as? Int ?? -1
            let counts = "\(window["logins"] as? Int ?? -1)/\(window["users"] as? Int ?? -1)\(silent == 0 ? "" : "+\(silent)")"
            return (parts + [counts]).joined(separator: " ")
        }
    }
}
