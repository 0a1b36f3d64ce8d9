/// Examples of responses of the API.
enum Examples {
    static let times = #""created_at":"2026-11-21T08:00:00Z","updated_at":"2026-11-21T09:00:00Z""#
    static let tenant = #"""
        {"id":"tenant_1","object":"tenant","slug":"acme","name":"Acme","plan":"enterprise","status":"active",\#
        "issuer":"https://id.example.com/t/acme",\#(times)}
        """#
    static let application = #"""
        {"id":"app_1","object":"application","name":"Shop","kind":"web","redirect_uris":["https://shop.example.com/callback"],\#
        "logout_uris":[],"frontchannel_logout_session_required":true,"bundle_ids":[],"requires_pkce":true,"requires_offline_access":false,"allows_development_uris":false,"returns_tokens_in_url":false,"requires_pushed_requests":false,"requires_dpop":false,"allows_device_grant":false,"is_third_party":false,"requires_name":false,"token_endpoint_auth_method":"client_secret_basic","access_token_seconds":3600,"session_seconds":2592000,\#
        "idle_seconds":604800,"signing_algorithm":"ES256",\#(times)}
        """#
    static let applicationWithSecret = String(application.dropLast()) + #","client_secret":"hush-hush"}"#
    static let api = #"""
        {"id":"api_1","object":"api","name":"Orders","audience":"https://orders.example.com","scopes":["orders:read"],\#
        "access_token_seconds":3600,"applications":[{"id":"app_1","scopes":["orders:read"]},{"id":"app_2","scopes":null}],\#(times)}
        """#
    static let domain = #"""
        {"id":"domain_1","object":"domain","host":"login.customer.com","state":"pending","is_primary":false,"is_exclusive":false,\#
        "proof":{"record":{"name":"_espalier.login.customer.com","type":"TXT","value":"espalier-domain=token"},\#
        "file":{"url":"http://login.customer.com/.well-known/espalier-domain","content":"token"}},\#
        "issuer":"https://login.customer.com","return_url":"https://login.customer.com/auth/apple/callback",\#
        "notification_url":"https://login.customer.com/auth/apple/notifications","expires_at":"2026-11-28T08:00:00Z",\#(times)}
        """#
    static func verification(_ outcome: String) -> String {
        #"{"object":"domain_verification","outcome":"\#(outcome)","record":"\#(outcome)","file":"unknown","domain":\#(domain)}"#
    }
    static let initialAccessToken = #"""
        {"id":"iat_1","object":"initial_access_token","name":"Partner portal","last_four":"hush","kinds":["web","spa"],\#
        "requires_pkce":true,"max_registrations":10,"registrations":3,"expires_at":"2026-11-28T08:00:00Z",\#(times)}
        """#
    static let initialAccessTokenWithSecret = String(initialAccessToken.dropLast()) + #","secret":"eit_hushhush"}"#
    static let applicationRegistration = #"""
        {"id":"app_1","object":"application_registration","initial_access_token_id":"iat_1","software_id":"example-shop",\#(times)}
        """#
    static let applicationSecret = #"{"id":"secret_1","object":"application_secret","last_four":"hush",\#(times)}"#
    static let steps = #"""
        [{"step":"private_key","outcome":"passed","detail":"A P-256 key."},\#
        {"step":"team_id","outcome":"failed","detail":"This looks like a Services ID. Swap the two."},\#
        {"step":"signature","outcome":"skipped","detail":"Not tried."}]
        """#
    static let passedSteps = #"[{"step":"private_key","outcome":"passed","detail":"A P-256 key."}]"#
    static let appleKey = #"""
        {"id":"applekey_1","object":"apple_key","key_id":"F6G7H8I9J0","fingerprint":"00ff","state":"current",\#
        "proven_at":"2026-11-21T08:00:00Z",\#(times)}
        """#
    static func connection(outcome: String = "passed", isServing: Bool = false, steps: String = passedSteps, keys: String = appleKey)
        -> String
    {
        #"""
        {"id":"connection_1","object":"connection","ownership":"own","team_id":"A1B2C3D4E5","services_id":"com.example.login",\#
        "bundle_ids":[],"email_sources":[],"serving":\#(isServing),\#
        "check":{"outcome":"\#(outcome)","checked_at":"2026-11-21T08:00:00Z","steps":\#(steps)},"apple_keys":[\#(keys)],\#
        "apple_portal":{"return_url":"https://id.example.com/t/acme/auth/apple/callback","domain":"id.example.com",\#
        "notification_url":"https://id.example.com/t/acme/auth/apple/notifications","email_sources":[]},\#(times)}
        """#
    }
    static func transfer(
        _ pending: Int = 0, _ collected: Int = 0, _ moved: Int = 0, _ failed: Int = 0, status: String = "open", hasBegun: Bool = false
    ) -> String {
        #"""
        {"id":"transfer_1","object":"transfer","from_team_id":"A1B2C3D4E5","to_team_id":"Z9Y8X7W6V5","services_id":"com.example.login",\#
        "status":"\#(status)","users":{"pending":\#(pending),"collected":\#(collected),"moved":\#(moved),"failed":\#(failed)},\#
        \#(hasBegun ? #""closes_at":"2027-01-20T08:30:00Z","# : "")\#(times)}
        """#
    }
    /// - Parameter hostState: the state of the tenant's domain; nil without one.
    static func check(_ outcome: String, _ steps: String, hostState: String? = nil) -> String {
        let portal = hostState.map { state in
            #"""
            ,"apple_portal":{"return_url":"https://id.example.com/t/acme/auth/apple/callback","domain":"id.example.com",\#
            "notification_url":"https://id.example.com/t/acme/auth/apple/notifications","email_sources":[],"own_hosts":[\#
            {"return_url":"https://login.customer.com/auth/apple/callback","domain":"login.customer.com",\#
            "notification_url":"https://login.customer.com/auth/apple/notifications","state":"\#(state)"}]}
            """#
        }
        return #"""
            {"object":"connection_check","connection_id":"connection_1","outcome":"\#(outcome)","checked_at":"2026-11-21T08:00:00Z",\#
            "steps":\#(steps)\#(portal ?? "")}
            """#
    }
    static let session = #"""
        {"id":"session_1","object":"session","user_id":"user_1","application_id":"app_1","scope":"openid","status":"active",\#
        "expires_at":"2026-12-21T08:00:00Z","last_used_at":"2026-11-21T09:00:00Z",\#(times)}
        """#
    static let revocation = #"{"object":"revocation","revoked":3}"#
    static let signingKey = #"""
        {"id":"key_1","object":"signing_key","algorithm":"ES256","state":"current","activated_at":"2026-11-21T08:00:00Z",\#(times)}
        """#
    static let signingKeyRotation =
        #"{"object":"signing_key_rotation","compromised":true,"signing_keys":[\#(signingKey)]}"#
    static let identity = #"""
        {"id":"identity_1","object":"identity","team_id":"A1B2C3D4E5","subject":"001.ff","created_at":"2026-11-21T08:00:00Z",\#
        "last_login_at":"2026-11-21T08:00:00Z"}
        """#
    static let user = #"""
        {"id":"user_1","object":"user","given_name":"Ada","family_name":"Lovelace","email":"ada@example.com","email_verified":true,\#
        "is_private_email":false,"email_disabled":false,"status":"active","identities":[\#(identity)],"sessions":[\#(session)],\#(times)}
        """#
    static let consent = #"""
        {"id":"consent_1","object":"consent","user_id":"user_1","application_id":"app_1","scope":"openid email","api_ids":[],\#
        "given_at":"2026-11-21T08:00:00Z",\#(times)}
        """#
    static let userDeletion = #"""
        {"id":"deletion_1","object":"user_deletion","user_id":"user_1","requester":"user","requested_by":"app_1","status":"finished",\#
        "requested_at":"2026-11-21T08:00:00Z","finished_at":"2026-11-21T08:00:01Z","apple":[{"team_id":"A1B2C3D4E5",\#
        "client_id":"com.example.web","status":"revoked","attempts":1,"revoked_at":"2026-11-21T08:00:01Z"}],\#(times)}
        """#
    static let apiKey = #"""
        {"id":"apikey_1","object":"api_key","name":"billing","last_four":"0000","scopes":["usage:read"],\#(times)}
        """#
    static let apiKeyWithSecret = String(apiKey.dropLast()) + #","secret":"esk_test_hushhush"}"#
    static let auditEvent = #"""
        {"id":"audit_1","object":"audit_event","occurred_at":"2026-11-21T08:00:00Z","actor":"apikey_1","action":"createTenant",\#
        "subject":"tenant_1","sequence":1,"hash":"00",\#(times)}
        """#
    static let webhook = #"""
        {"id":"webhook_1","object":"webhook","url":"https://acme.example.com/hooks","events":["user.created"],"format":"espalier",\#
        "status":"enabled",\#(times)}
        """#
    static let webhookWithSecret = String(webhook.dropLast()) + #","secret":"whsec_hush"}"#
    static let webhookSecret = #"{"id":"webhooksecret_1","object":"webhook_secret","secret":"whsec_hush",\#(times)}"#
    static let delivery = #"""
        {"id":"delivery_1","object":"webhook_delivery","webhook_id":"webhook_1","event":{"id":"event_1","type":"webhook.test",\#
        "occurred_at":"2026-11-21T08:00:00Z","data":{}},"state":"pending","attempts":0,\#(times)}
        """#
    static let notification = #"""
        {"id":"notification_1","object":"notification","type":"consent-revoked","client_id":"com.example.login","subject":"001.ff",\#
        "event_at":"2026-11-21T08:00:00Z","received_at":"2026-11-21T08:00:01Z","state":"done","outcome":"applied","users":1,\#
        "attempts":1,\#(times)}
        """#
    static let usageSink = #"""
        {"id":"usagesink_1","object":"usage_sink","format":"stripe","url":"https://api.stripe.com/v1/billing/meter_events",\#
        "event_name":"logins","has_secret":true,"status":"enabled","waiting":{"events":7,"since":"2026-11-21T08:00:00Z"},\#
        "refused":{"events":2,"uncertain":1,"since":"2026-11-20T08:00:00Z"},\#
        "last_failure":{"at":"2026-11-21T09:00:00Z","error":"no_customer"},\#(times)}
        """#
    static let usageSinkEvent = #"""
        {"id":"tenant_1-2026-11-21T09:59Z-0","object":"usage_sink_event","tenant_id":"tenant_1","occurred_at":"2026-11-21T09:59:00Z",\#
        "logins":17,"reason":"refused","status":422,"refused_at":"2026-11-21T10:02:04Z"}
        """#
    static let usageSinkDifference = #"""
        {"id":"usagedifference_1","object":"usage_sink_difference","customer_id":"cus_1","tenant_ids":["tenant_1","tenant_2"],\#
        "starts_at":"2026-11-21T09:00:00Z","ends_at":"2026-11-21T10:00:00Z","sent":1042,"counted":3,\#
        "found_at":"2026-11-21T11:04:00Z","checked_at":"2026-11-21T11:04:00Z"}
        """#
    static let usageSinkCustomer = #"{"id":"tenant_1","object":"usage_sink_customer","customer_id":"cus_1",\#(times)}"#
    static let mail = #"""
        {"object":"mail","has_sender":true,"server":{"host":"smtp.example.com","port":587,"tls":"starttls","has_password":true},\#
        "from":"Acme <login@example.com>","waiting":{"mails":2,"since":"2026-11-21T08:00:00Z"},\#
        "last_sent_at":"2026-11-21T08:00:00Z","last_failure":{"at":"2026-11-21T09:00:00Z","outcome":"deferred","reply_code":451}}
        """#
    static let rateCard = #"""
        {"id":"ratecard_1","object":"rate_card","plan":"scale","version":2,"effective_from":"2027-01-01","currency":"USD",\#
        "base_fee_micros":49000000,"included_logins":1000,"minimum_micros":0,"tier_mode":"volume",\#
        "tiers":[{"up_to":100000,"unit_price_micros":5000},{"unit_price_micros":4000}],"silent_login_micros":1000,\#(times)}
        """#
    static let ownRateCard = #"""
        {"id":"ratecard_1","object":"rate_card","tenant_id":"tenant_1","version":2,"effective_from":"2027-06-01","follows_plan":true,\#
        \#(times)}
        """#
    static let branding = #"""
        {"object":"branding","display_name":"Acme Shop","color":"#ffe600","text_color":"#000000","logo":{"url":"https://id.example.com/t/acme/logo/00ff",\#
        "media_type":"image/png","size":67,"sha256":"00ff"},"warnings":[{"field":"color","detail":"In light mode, it is pale."}],\#(times)}
        """#
    static let budget = #"""
        {"object":"budget","amount_micros":500000000,"amount":"500.00","currency":"USD","hard":true,\#
        "current":{"period":"2026-11","amount_micros":256170000,"amount":"256.17","percent":51},\#
        "logins_refused_until":"2026-12-01T00:00:00Z",\#(times)}
        """#
    static let budgetOfLogins = #"""
        {"object":"budget","logins":100000,"hard":false,"current":{"period":"2026-11","logins":51234,"percent":51},\#(times)}
        """#
    static let estimate = #"""
        {"object":"estimate","logins":250000,"silent_logins":30000,"plan":"scale","on":"2026-11-21","rate_card":\#(rateCard),"currency":"USD",\#
        "lines":[{"kind":"base_fee","description":"Base fee","quantity":1,"unit_price_micros":49000000,"unit_price":"49.00",\#
        "exact_micros":49000000,"amount_micros":49000000,"amount":"49.00"},{"kind":"logins","description":"Logins 1 to 240200",\#
        "from":1,"to":240200,"quantity":240200,"unit_price_micros":5000,"unit_price":"0.005","exact_micros":1201000000,\#
        "amount_micros":1201000000,"amount":"1201.00"}],"total_micros":1250000000,"total":"1250.00",\#
        "next_tier":{"from_login":300001,"additional_logins":50001,"unit_price_micros":4000,"unit_price":"0.004",\#
        "total_micros":1249000000,"total":"1249.00","change_micros":-1000000,"change":"-1.00"}}
        """#
    static let member = #"""
        {"id":"member_1","object":"member","person_id":"person_1","role":"developer","name":"Ada Lovelace","email":"ada@example.com",\#
        \#(times)}
        """#
    static let person = #"""
        {"id":"person_1","object":"person","name":"Grace Hopper","email":"grace@example.com","has_password":true,\#
        "has_authenticator":true,"recovery_codes":10,"passkeys":1,"sessions":2,"memberships":[\#
        {"id":"member_1","tenant_id":"tenant_1","role":"owner"},{"id":"member_2","role":"operator"}],\#(times)}
        """#
    static let invitation = #"""
        {"id":"invitation_1","object":"invitation","email":"grace@example.com","role":"viewer","state":"pending",\#
        "invited_by":"apikey_1","expires_at":"2026-11-28T08:00:00Z",\#(times)}
        """#
    static let invitationWithLink =
        String(invitation.dropLast()) + #","url":"https://id.example.com/account/invitation?token=inv_hush"}"#
    static let role = #"{"id":"role_1","object":"role","name":"Support","scopes":["users:read","sessions:read"],\#(times)}"#
    static let supportAccess = #"""
        {"id":"support_1","object":"support_access","person_id":"person_1","operator_name":"Katherine Johnson",\#
        "reason":"Ticket 4711: sign-ins fail.","state":"active","started_at":"2026-11-21T08:00:00Z",\#
        "ends_at":"2026-11-21T09:00:00Z",\#(times)}
        """#
    static let caller = #"""
        {"object":"caller","actor":"person_1","name":"Ada Lovelace","tenant":"acme","role":"owner","scopes":["users:read"],\#
        "session":{"id":"psession_1","authenticated_at":"2026-11-21T08:00:00Z","expires_at":"2027-02-19T08:00:00Z"},\#
        "memberships":[{"tenant":"acme","tenant_id":"tenant_1","role":"owner"}]}
        """#
    static let supportingCaller = #"""
        {"object":"caller","actor":"person_1","name":"Ada Lovelace","is_operator":true,"scopes":["users:read"],\#
        "support_access":{"id":"support_1","ends_at":"2026-11-21T09:00:00Z"}}
        """#
    static let login = #"""
        {"id":"login_1","object":"login","occurred_at":"2026-11-21T08:00:00Z","outcome":"active","user_id":"user_1",\#
        "application_id":"app_1","is_silent":false,"address":"203.0.113.7"}
        """#
    static func list(_ elements: String..., after: String? = nil) -> String {
        #"{"object":"list","data":[\#(elements.joined(separator: ","))],"list_metadata":{"before":null,"after":\#(after.map { "\"\($0)\"" } ?? "null")}}"#
    }
    /// A PEM without a usable key.
    static let pem = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0c2VjcmV0\n-----END PRIVATE KEY-----\n"
}
