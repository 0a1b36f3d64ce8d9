import Access
import Foundation
import Postgres
import Server
import Sessions
import Tenancy
import TestSupport
import Testing

/// The callers that an operation rejects according to its security in the spec. A rejected caller learns nothing, and its
/// input is not read.
@Suite("Callers without access")
struct StrangerTests {
    private let specification: Specification
    private let guarded: [Specification.Operation]

    init() throws {
        specification = try Specification()
        guarded = specification.operations.filter { $0.scopes != nil }
    }

    /// Sends input that would be rejected if it were read: a body that is not JSON, no `If-Match`.
    private func intrude(_ operation: Specification.Operation, _ path: String, key: String?, _ platform: TestPlatform) async throws
        -> TestBrowser.Answer
    {
        var headers = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        if operation.method != "GET" { headers.append(("Content-Type", "application/json")) }
        return try await TestBrowser(platform).send(
            operation.method, TestPlatform.publicURL + path, headers: headers, body: operation.method == "GET" ? nil : "{")
    }

    /// Returns the content of an error, except for the parts that differ per request.
    private func reported(_ answer: TestBrowser.Answer) -> [String: String] {
        answer.json.filter { !["request_id", "instance"].contains($0.key) }.mapValues { "\($0)" }
    }

    @Test("operations without an API key are listed here: the list may only shrink")
    func open() {
        #expect(
            Set(specification.operations.filter(\.isOpen).map(\.id)) == [
                "acceptInvitation",
                "addOwnIdentity",
                "addPasskey",
                "appleAccountCallback",
                "appleCallback",
                "approveDevice",
                "approveTerminal",
                "approveTerminalDevice",
                "askForCertificate",
                "askForRecovery",
                "authKitAuthenticate",
                "authKitAuthorize",
                "authKitAuthorizeDevice",
                "authKitJWKS",
                "authKitLogout",
                "authorizationServerMetadata",
                "authorizationServerMetadataAtRoot",
                "authorize",
                "authorizeByClient",
                "authorizeByPost",
                "authorizeDevice",
                "authorizeTerminal",
                "authorizeTerminalDevice",
                "changeEmail",
                "changeName",
                "changePassword",
                "completeOwnIdentity",
                "confirmAuthenticator",
                "confirmEmail",
                "confirmIdentity",
                "confirmLogout",
                "createSeparateUser",
                "deleteOwnUser",
                "deletePasskey",
                "deleteRegisteredClient",
                "endOtherSessions",
                "endOwnSession",
                "enrollTOTP",
                "enterDeviceCode",
                "enterTerminalCode",
                "getButtonPNG",
                "getButtonSVG",
                "getFavicon",
                "getLogo",
                "getPricingPage",
                "getRegisteredClient",
                "getSecurityContact",
                "giveConsent",
                "giveName",
                "giveSecondFactor",
                "introspect",
                "jwks",
                "leaveTenant",
                "linkApple",
                "listOwnAPIKeys",
                "listOwnIdentities",
                "listOwnSessions",
                "listPasskeys",
                "listRevocations",
                "logout",
                "logoutByPost",
                "mailLinkProof",
                "mushuAuthorize",
                "mushuCallback",
                "mushuCreateProvider",
                "mushuDeleteProvider",
                "mushuExchange",
                "mushuGetProvider",
                "mushuListProviders",
                "mushuLogout",
                "mushuNotification",
                "mushuRefresh",
                "mushuSignIn",
                "mushuUpdateProvider",
                "mushuUser",
                "mushuValidate",
                "openIDConfiguration",
                "openIDConfigurationAtRoot",
                "pushAuthorizationRequest",
                "receiveNotification",
                "receiveSharedNotification",
                "redeemLinkProof",
                "refuseConsent",
                "refuseDevice",
                "refuseIdentity",
                "refuseName",
                "refuseTerminal",
                "refuseTerminalDevice",
                "registerClient",
                "removeOwnIdentity",
                "removeTOTP",
                "renamePasskey",
                "renewRecoveryCodes",
                "replaceTOTP",
                "reviewDevice",
                "reviewTerminal",
                "revokeOwnAPIKey",
                "revokeTerminal",
                "revokeToken",
                "setNewPassword",
                "sharedAppleCallback",
                "showAccount",
                "showAuthenticator",
                "showDevice",
                "showEmail",
                "showInvitation",
                "showLinkProof",
                "showMembership",
                "showName",
                "showNewEmail",
                "showNewPasskey",
                "showNewPassword",
                "showNewTOTP",
                "showPasskey",
                "showPasskeySignIn",
                "showPassword",
                "showRecovery",
                "showRecoveryCodes",
                "showSecondFactor",
                "showSignIn",
                "showTerminalDevice",
                "showTOTP",
                "signIn",
                "signInForConsent",
                "signInForDevice",
                "signInForIdentity",
                "signInForName",
                "signInToLink",
                "signInWithPasskey",
                "signInWithPassword",
                "signOut",
                "ssoCallback",
                "startApple",
                "startSSO",
                "terminalMetadata",
                "terminalMetadataAtRoot",
                "terminalToken",
                "token",
                "unlinkApple",
                "updateRegisteredClient",
                "userInfo",
                "userInfoByPost",
            ])
        #expect(guarded.count >= 2)
        for operation in guarded {
            #expect(operation.path.hasPrefix("/v1/"))
            #expect(operation.scopes?.isEmpty == false || operation.id == "getCaller", "\(operation)")
            for scope in operation.scopes ?? [] { #expect(APIKey.Scope(rawValue: scope) != nil, "\(operation): \(scope)") }
        }
    }

    @Test("an invalid key gets 401, regardless of other mistakes")
    func nobody() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let keys = try await Keys(platform)
            for operation in guarded {
                for (what, key) in keys.ofNobody {
                    let answer = try await intrude(operation, things.path(operation), key: key, platform)
                    #expect(answer.status == 401, "\(operation) with \(what) key: \(answer.body)")
                    #expect(answer.json["code"] as? String == "unauthenticated")
                    #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                }
            }
        }
    }

    @Test("another tenant's key gets the same 404 for existing and missing objects, and 403 from the platform")
    func otherTenant() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let globex = platform.globex.api_keys[0].secret
            for operation in guarded {
                let answer = try await intrude(operation, things.path(operation), key: globex, platform)
                #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                // It has access to its own data.
                if operation.isForAnyKey { continue }
                guard operation.isForTenants else {
                    #expect(answer.status == 403, "\(operation): \(answer.body)")
                    #expect(answer.json["code"] as? String == "operator_required", "\(operation)")
                    continue
                }
                #expect(answer.status == 404, "\(operation): \(answer.body)")
                for path in [
                    things.path(operation, tenant: platform.acme.id), things.path(operation, real: false),
                    things.path(operation, tenant: "nobody"), things.path(operation, tenant: "NO SLUG".replacing(" ", with: "%20")),
                ] {
                    #expect(reported(try await intrude(operation, path, key: globex, platform)) == reported(answer), "\(operation) \(path)")
                }
            }
        }
    }

    @Test("operations for operators reject a tenant's key with every scope; no other operation does")
    func operatorsOnly() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let own = platform.acme.api_keys[0].secret
            for operation in guarded {
                let answer = try await intrude(operation, things.path(operation), key: own, platform)
                #expect((answer.json["code"] as? String == "operator_required") == operation.isForOperators, "\(operation): \(answer.body)")
                if operation.isForOperators {
                    #expect(answer.status == 403, "\(operation)")
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                }
            }
            #expect(guarded.contains { $0.isForOperators && $0.isForTenants })
        }
    }

    @Test("in its own tenant, a key finds another tenant's object no more than a missing one")
    func otherThing() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let globex = platform.globex.api_keys[0].secret
            for operation in guarded where operation.isForTenants && !operation.things.isEmpty {
                #expect(things.missing(operation) == [], "\(operation)")
                let (real, unknown) = (
                    things.path(operation, tenant: "globex"), things.path(operation, tenant: "globex", real: false)
                )
                for body in operation.bodies {
                    func ask(_ path: String) async throws -> TestBrowser.Answer {
                        try await send(operation, path, key: globex, body: body, platform)
                    }
                    let answer = try await ask(real)
                    // A plan may forbid it before any look-up.
                    #expect(answer.status == 404 || answer.json["code"] as? String == "plan_required", "\(operation): \(answer.body)")
                    #expect(reported(answer) == reported(try await ask(unknown)), "\(operation)")
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                }
            }
        }
    }

    @Test("a key with every scope except the required one gets 403, even an operator's key")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let keys = try await Keys(platform)
            var issued: [String: (operatorKey: String, own: String)] = [:]
            for scope in Set(guarded.flatMap { $0.scopes ?? [] }) {
                issued[scope] = (
                    try await keys.lacking(scope, owner: .platform), try await keys.lacking(scope, owner: keys.acme)
                )
            }
            for operation in guarded {
                for scope in operation.scopes ?? [] {
                    let key = try #require(issued[scope])
                    let answer = try await intrude(operation, things.path(operation), key: key.operatorKey, platform)
                    #expect(answer.status == 403, "\(operation) without \(scope): \(answer.body)")
                    #expect(answer.json["code"] as? String == "insufficient_scope", "\(operation)")
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                    let own = try await intrude(operation, things.path(operation), key: key.own, platform)
                    #expect(own.status == 403, "\(operation) without \(scope), by the tenant: \(own.body)")
                    let code = own.json["code"] as? String
                    #expect(
                        operation.isForTenants || operation.isForAnyKey
                            ? ["insufficient_scope", "operator_required"].contains(code) : code == "operator_required")
                }
            }
        }
    }

    @Test("a rejected caller has changed nothing")
    func nothingHappened() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let keys = try await Keys(platform)
            func trail() async throws -> Int? {
                try await platform.ownerPool.run("SELECT count(*) AS n FROM audit_event").first { try $0.get("n", as: Int.self) }
            }
            let before = try await trail()
            for operation in guarded where operation.method != "GET" {
                for key in [nil, keys.revoked, keys.expired] + (operation.isForAnyKey ? [] : [platform.globex.api_keys[0].secret]) {
                    for body in operation.bodies {
                        let answer = try await send(operation, things.path(operation), key: key, body: body, platform)
                        #expect([401, 403, 404].contains(answer.status), "\(operation): \(answer.body)")
                    }
                }
            }
            #expect(try await trail() == before)
        }
    }
}
