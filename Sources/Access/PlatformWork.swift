extension PlatformDatabase {
    /// The work that sees the rows of all owners. This list is complete: nothing else may see them.
    ///
    /// The raw value names the work in the log.
    package enum Work: String, CaseIterable, Sendable {
        // MARK: Requests

        /// A request with an operator's key. An operator acts for every tenant.
        case operatorRequest = "answer an operator"
        /// The key in a request decides the tenant, so the tenant is not known yet.
        case findCaller = "find the caller of a request"
        /// The session in a request decides the person, who may be an operator, or a member of several tenants.
        case findPerson = "find the person of a request"
        /// A person sees its memberships in all tenants.
        case showPerson = "show a person"
        /// The path of a request decides the tenant, so the tenant is not known yet.
        case readConfiguration = "read the configuration of tenants"
        /// The host of a request decides the tenant, so the tenant is not known yet.
        case readHosts = "read the hosts of tenants"
        /// A person, and the link of an invitation, belong to no tenant. The person decides between several.
        case signPeopleIn = "sign people in"
        /// The shared connection serves all tenants that have none of their own.
        case useOfSharedConnection = "look for tenants on the shared connection"

        // MARK: Commands

        /// A command of `espalier`. Its caller has the database's URL.
        case command = "run a command"

        // MARK: Work after a commit

        /// The outbox has the work of all owners.
        case runOutbox = "run the outbox"
        /// A consent at Apple may be shared by the users of several tenants.
        case revokeAtApple = "revoke consents at Apple"
        /// A notification for the shared connection may concern users of several tenants.
        case processNotification = "process Apple's notifications"
        /// The sink receives the logins of all tenants.
        case deliverUsage = "deliver usage"

        // MARK: Recurring work

        case saveLastUses = "save last uses of keys"
        case forgetOldRequests = "forget old requests"
        case noteMasterKey = "note the master key"
        case bindDigests = "bind digests of the previous version"
        case reportExpiringKeys = "report expiring API keys"
        case rotateSigningKeys = "rotate signing keys"
        case forgetUsedTokens = "forget used id_tokens"
        case forgetDeviceAuthorizations = "forget device authorizations"
        case forgetTerminals = "forget requests of terminals"
        case forgetTransferIdentifiers = "forget transfer identifiers"
        case mergeTransferCounts = "fold transfer counts"
        case forgetRevocations = "forget old revocations"
        case eraseUsers = "erase deleted users"
        case forgetNotifications = "forget old notifications"
        case aggregateUsage = "aggregate usage"
        case checkBudgets = "check budgets in money"
        case closeMonths = "close months"
        case createPartitions = "create ledger partitions"
        case sendMeterEvents = "send meter events"
        case compareMeter = "compare meter events"
        case forgetMeterEvents = "delete old meter events"
        case purgeTenants = "purge deleted tenants"
        case maintainConnections = "maintain connections"
        case maintainDomains = "maintain domains"
        case maintainSSODomains = "maintain domains of members"
        case pruneWebhooks = "remove old webhook events"
        case forgetMails = "delete expired mails"
        case endSupportAccesses = "end support accesses"
        case forgetPeople = "forget old sessions, invitations and accounts of people"
    }
}
