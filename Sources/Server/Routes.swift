import APIs
import Access
import Accounts
import Apple
import AppleButton
import AuthKit
import Billing
import Branding
import ClientKeys
import Delivery
import Devices
import Domains
import Factors
import Foundation
import Ledger
import Logging
import Mail
import Mushu
import People
import PeopleSignIn
import PeopleSSO
import Registration
import Sessions
import SignIn
import Signing
import Sinks
import Tenancy
import Terminal
import Users
import Web

/// The groups of actions, each with its own dependencies.
struct Routes: Sendable {
    let signIn: SignInRoutes
    let devices: DeviceRoutes
    let authKit: AuthKitSignInRoutes
    let authKitUsers: AuthKitUserRoutes
    let authKitOrganizations: AuthKitOrganizationRoutes
    let authKitAPIKeys: AuthKitAPIKeyRoutes
    let authKitRedirectURIs: AuthKitRedirectURIRoutes
    let authKitEvents: AuthKitEventRoutes
    let tokens: TokenRoutes
    let logout: LogoutRoutes
    let discovery: DiscoveryRoutes
    let sessions: SessionRoutes
    let signingKeys: SigningKeyRoutes
    let users: UserRoutes
    let notifications: NotificationRoutes
    let transfers: TransferRoutes
    let tenants: TenantRoutes
    let branding: BrandingRoutes
    let domains: DomainRoutes
    let applications: ApplicationRoutes
    let apis: APIRoutes
    let connections: ConnectionRoutes
    let webhooks: WebhookRoutes
    let apiKeys: APIKeyRoutes
    let audit: AuditRoutes
    let usage: UsageRoutes
    let statements: StatementRoutes
    let pricing: PricingRoutes
    let budgets: BudgetRoutes
    let exports: ExportRoutes
    let usageSink: UsageSinkRoutes
    let mail: MailRoutes
    let members: MemberRoutes
    let invitations: InvitationRoutes
    let people: PersonRoutes
    let roles: RoleRoutes
    let support: SupportRoutes
    let personSignIn: PersonSignInRoutes
    let account: AccountRoutes
    let caller: CallerRoutes
    let terminal: TerminalRoutes
    let providerSignIn: ProviderSignInRoutes
    let sso: SSORoutes
    let wellKnown: WellKnown
    let button: ButtonRoutes
    let mushu: MushuRoutes
    let registration: RegistrationRoutes
    let initialAccessTokens: InitialAccessTokenRoutes

    init(
        _ settings: Settings, pools: DatabasePools, directory: TenantDirectory, callers: Callers, limits: RequestLimits, lastUsed: LastUsed,
        signingKeys keys: SigningKeys, apis directoryOfAPIs: APIDirectory, hosts: HostTable, proof: DomainProof, apple: AppleClient,
        mail sender: MailSender?, metrics: Metrics, logger: Logger, now: @escaping @Sendable () -> Date
    ) {
        let (logins, pool) = (pools.logins, pools.administration)
        let (keyring, publicURL, allowsPrivate) = (settings.keyring, settings.publicURL, settings.allowsPrivateWebhooks)
        let settling = TimeInterval(settings.usageSettlesAfter)
        let endpoints = TenantEndpoints(
            directory: directory, limits: limits, keyring: keyring,
            assertions: ClientAssertions(pool: logins, allowsPrivate: allowsPrivate, logger: logger), publicURL: publicURL, logger: logger,
            now: now)

        let issuer = Tokens(endpoints: endpoints, pool: logins, signingKeys: keys, apis: directoryOfAPIs)
        let redeemAtApple = RedeemAtApple(pool: logins, apple: apple, keyring: keyring, lastUsed: lastUsed, logger: logger)
        let saveUser = SaveUser(pool: logins, keyring: keyring)
        let native = SignInNatively(
            tokens: issuer, pool: logins, apple: apple, redeemAtApple: redeemAtApple, saveUser: saveUser, metrics: metrics)
        signIn = SignInRoutes(
            endpoints: endpoints, apple: apple, redeemAtApple: redeemAtApple, saveUser: saveUser, signInNatively: native, mail: sender,
            metrics: metrics)
        let deviceGrant = DeviceGrant(tokens: issuer, pool: logins, metrics: metrics)
        devices = DeviceRoutes(grant: deviceGrant, signIn: signIn)
        authKit = AuthKitSignInRoutes(
            endpoints: endpoints, signIn: signIn, tokens: issuer, devices: deviceGrant, signingKeys: keys, callers: callers,
            lastUsed: lastUsed, pool: logins, metrics: metrics)
        tokens = TokenRoutes(
            tokens: issuer, pool: logins, metrics: metrics, exchange: native.exchangeToken, device: deviceGrant.redeemDeviceCode)
        logout = LogoutRoutes(endpoints: endpoints, pool: logins, signingKeys: keys, spent: issuer.spent)
        discovery = DiscoveryRoutes(endpoints: endpoints, signingKeys: keys)
        sessions = SessionRoutes(pool: pool, now: now)
        signingKeys = SigningKeyRoutes(pool: pool, keyring: keyring, signingKeys: keys, now: now)

        users = UserRoutes(pool: pool, keyring: keyring, endpoints: endpoints, tokens: issuer, now: now)
        authKitUsers = AuthKitUserRoutes(pool: pool, users: users, sessions: sessions, now: now)
        authKitOrganizations = AuthKitOrganizationRoutes(pool: pool, directory: directory)
        notifications = NotificationRoutes(
            pool: pool, keyring: keyring, apple: apple, endpoints: endpoints, metrics: metrics, logger: logger, now: now)
        transfers = TransferRoutes(pool: pool, keyring: keyring, apple: apple, lastUsed: lastUsed, now: now)

        tenants = TenantRoutes(pool: pool, publicURL: publicURL, addresses: { hosts.addresses(of: $0) }, now: now)
        domains = DomainRoutes(pool: pool, endpoints: endpoints, hosts: hosts, proof: proof, now: now)
        branding = BrandingRoutes(pool: pool, logins: logins, endpoints: endpoints, now: now)
        applications = ApplicationRoutes(
            pool: pool, keyring: keyring, allowsPrivateWebhooks: allowsPrivate, now: now,
            endSessions: { Session.endAll(ofApplication: $0, of: $1, at: $2) },
            prepareSigning: { try await keys.prepare($0, of: $1) })
        apis = APIRoutes(pool: pool, publicURL: publicURL, addresses: { hosts.addresses(of: $0) }, now: now)
        connections = ConnectionRoutes(
            pool: pool, keyring: keyring, apple: apple, publicURL: publicURL, addresses: { hosts.addresses(of: $0) },
            hasOthers: { Identity.hasOthers(of: $0, than: $1) }, now: now)
        webhooks = WebhookRoutes(pool: pool, keyring: keyring, allowsPrivateWebhooks: allowsPrivate, now: now)
        authKitEvents = AuthKitEventRoutes(pool: pool, webhooks: webhooks, settling: settling, now: now)
        apiKeys = APIKeyRoutes(pool: pool, keyring: keyring, publicURL: publicURL, now: now)
        authKitRedirectURIs = AuthKitRedirectURIRoutes(applications: applications, directory: directory)
        authKitAPIKeys = AuthKitAPIKeyRoutes(pool: pool, keys: apiKeys, callers: callers, endpoints: endpoints)
        audit = AuditRoutes(pool: pool)

        usage = UsageRoutes(pool: pool, settling: settling, now: now)
        statements = StatementRoutes(pool: pool, settling: settling, now: now)
        // The page of prices may be asked for as often as calls without a key.
        let pricingPage = settings.showsPricing ? TokenBuckets<String>(perMinute: max(1, settings.apiRequestsPerMinute / 10)) : nil
        pricing = PricingRoutes(pool: pool, pricingPage: pricingPage, now: now)
        button = ButtonRoutes()
        budgets = BudgetRoutes(pool: pool, now: now)
        exports = ExportRoutes(
            pool: pools.exports, logins: pools.logins, publicURL: publicURL, settling: settling, logger: logger, now: now)
        usageSink = UsageSinkRoutes(pool: pool, keyring: keyring, allowsPrivate: allowsPrivate, now: now)
        mail = MailRoutes(pool: pool, sender: sender, metrics: metrics, now: now)
        let organization: @Sendable (ID<Tenant>) async throws -> String? = {
            try await directory.find(idOrSlug: $0.description)?.tenant.name
        }
        let notices = OwnerNotices(keyring: keyring, mail: sender, publicURL: publicURL, organization: organization)
        members = MemberRoutes(pool: pool, notices: notices, now: now)
        invitations = InvitationRoutes(
            pool: pool, keyring: keyring, publicURL: publicURL, mail: sender, organization: organization, notices: notices, now: now)
        people = PersonRoutes(pool: pool, keyring: keyring, mail: sender, publicURL: publicURL, notices: notices, now: now)
        roles = RoleRoutes(pool: pool, now: now)
        support = SupportRoutes(pool: pool, notices: notices, allowed: Tenant.allowingSupport, now: now)
        // The pool of the API: sign-ins of people must not delay those of users.
        let accounts = AccountEndpoints(
            pool: pool, keyring: keyring, publicURL: publicURL, limits: limits, hashing: PasswordHashing(), mail: sender,
            apple: settings.platformApplication.map { PlatformApplication(tenant: $0.tenant, clientID: $0.clientID, logger: logger) },
            metrics: metrics, logger: logger, now: now)
        personSignIn = PersonSignInRoutes(endpoints: accounts, directory: directory)
        account = AccountRoutes(endpoints: accounts, directory: directory)
        caller = CallerRoutes(pool: pool, findTenant: { try await directory.find(idOrSlug: $0.description)?.tenant }, now: now)
        terminal = TerminalRoutes(
            grant: TerminalGrant(pool: pool, keyring: keyring, publicURL: publicURL, limits: limits, logger: logger, now: now),
            account: accounts,
            tenantName: { id in try await directory.find(id).flatMap { $0.tenant.status == .active ? $0.tenant.name : nil } })
        let providers = ProviderDocuments(allowsPrivate: allowsPrivate, logger: logger)
        providerSignIn = ProviderSignInRoutes(endpoints: accounts, directory: directory, documents: providers)
        sso = SSORoutes(
            pool: pool, keyring: keyring, publicURL: publicURL, proof: proof, documents: providers, notices: notices,
            allowsPrivate: allowsPrivate, now: now)
        mushu = MushuRoutes(tokens: issuer, signIn: signIn, native: native, notifications: notifications, connections: connections)
        registration = RegistrationRoutes(
            endpoints: endpoints, pool: pool, applications: applications, allowsPrivate: allowsPrivate,
            // The changes of administrators have a limit of their own, which no client uses up.
            changesPerMinute: max(1, settings.apiChangesPerMinute / 5))
        initialAccessTokens = InitialAccessTokenRoutes(pool: pool, keyring: keyring, now: now)
        wellKnown = WellKnown(publicURL: publicURL, securityContact: settings.securityContact, now: now)
    }
}
