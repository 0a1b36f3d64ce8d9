/// The requests of the commands for people.
extension RequestTests {
    static let members: [Example] = [
        .init("whoami --jq .actor", "GET /v1/caller", answer: Examples.caller, shows: "person_1"),
        .init("whoami --tenant acme", "GET /v1/caller", answer: Examples.caller, shows: "Memberships"),
        .init("whoami --tenant acme", "GET /v1/caller", answer: Examples.supportingCaller, shows: "support_1"),
        .init(
            "members list --tenant acme", "GET /v1/tenants/acme/members", answer: Examples.list(Examples.member), shows: "ada@example.com"),
        .init(
            "members update member_1 --tenant acme --role admin", "PATCH /v1/tenants/acme/members/member_1", #"{"role":"admin"}"#,
            answer: Examples.member, shows: "developer"),
        .init(
            "members update member_1 --tenant acme --role role_01abc", "PATCH /v1/tenants/acme/members/member_1",
            #"{"role":"role_01abc"}"#, answer: Examples.member, shows: "developer"),
        .init(
            "members remove member_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/members/member_1", answer: "",
            shows: "Ended the membership member_1."),
        .init(
            "members remove member_1 --tenant acme --revoke-api-keys --confirm=acme",
            "DELETE /v1/tenants/acme/members/member_1?revoke_api_keys=true", answer: "", shows: "Ended the membership member_1."),
        .init(
            "invitations create grace@example.com --tenant acme --role viewer --expires-at 2027-01-01",
            "POST /v1/tenants/acme/invitations", #"{"email":"grace@example.com","expires_at":"2027-01-01T00:00:00Z","role":"viewer"}"#,
            answer: Examples.invitationWithLink, shows: "account/invitation?token=inv_hush"),
        .init(
            "invitations create grace@example.com --tenant acme --role viewer --no-mail", "POST /v1/tenants/acme/invitations",
            #"{"email":"grace@example.com","role":"viewer","send_mail":false}"#, answer: Examples.invitationWithLink,
            shows: "Only its holder may see the link."),
        .init(
            "invitations create grace@example.com --tenant acme --role viewer", "POST /v1/tenants/acme/invitations",
            #"{"email":"grace@example.com","role":"viewer"}"#, answer: Examples.invitation, shows: "Only the mail contains the link."),
        .init(
            "invitations list --tenant acme", "GET /v1/tenants/acme/invitations", answer: Examples.list(Examples.invitation),
            shows: "pending"),
        .init(
            "invitations list --platform", "GET /v1/platform/invitations", answer: Examples.list(Examples.invitation), shows: "STATE"),
        .init(
            "invitations delete invitation_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/invitations/invitation_1", answer: "",
            shows: "Deleted invitation_1."),
        .init(
            "invitations delete invitation_1 --platform --confirm=platform", "DELETE /v1/platform/invitations/invitation_1", answer: "",
            shows: "Deleted invitation_1."),
        .init(
            "roles create --tenant acme --name Support --scope users:read --scope sessions:read", "POST /v1/tenants/acme/roles",
            #"{"name":"Support","scopes":["users:read","sessions:read"]}"#, answer: Examples.role, shows: "users:read, sessions:read"),
        .init("roles list --tenant acme", "GET /v1/tenants/acme/roles", answer: Examples.list(Examples.role), shows: "SCOPES"),
        .init(
            "roles update role_1 --tenant acme --scope users:read", "PATCH /v1/tenants/acme/roles/role_1", #"{"scopes":["users:read"]}"#,
            answer: Examples.role, shows: "Support"),
        .init(
            "roles delete role_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/roles/role_1", answer: "",
            shows: "Deleted role_1."),
        .init(
            "operators create grace@example.com", "POST /v1/platform/operators", #"{"email":"grace@example.com"}"#,
            answer: Examples.invitationWithLink, shows: "Only its holder may see the link."),
        .init("operators list --all", "GET /v1/platform/operators?limit=100", answer: Examples.list(Examples.member), shows: "NAME"),
        .init(
            "operators remove member_1 --confirm=platform", "DELETE /v1/platform/operators/member_1", answer: "",
            shows: "Ended the membership member_1."),
        .init(
            "people list --email grace@example.com", "GET /v1/platform/people?email=grace%40example.com",
            answer: Examples.list(Examples.person), shows: "AUTHENTICATOR"),
        .init("people show person_1", "GET /v1/platform/people/person_1", answer: Examples.person, shows: "Recovery codes  10"),
        .init(
            "people end-sessions person_1 --confirm=person_1", "POST /v1/platform/people/person_1/sessions/end", answer: Examples.person,
            shows: "Grace Hopper"),
        .init(
            "people reset-factors person_1 --confirm=person_1", "POST /v1/platform/people/person_1/reset", answer: Examples.person,
            shows: "tenant_1   owner     member_1"),
        .init(
            "people delete person_1 --confirm=person_1", "DELETE /v1/platform/people/person_1", answer: "", shows: "Deleted person_1."),
        .init(
            "support start --tenant acme --reason Ticket-4711", "POST /v1/tenants/acme/support-accesses",
            #"{"minutes":60,"reason":"Ticket-4711"}"#, answer: Examples.supportAccess, shows: "Katherine Johnson"),
        .init(
            "support end support_1 --tenant acme", "POST /v1/tenants/acme/support-accesses/support_1/end", answer: Examples.supportAccess,
            shows: "Ticket 4711"),
        .init(
            "support list --tenant acme", "GET /v1/tenants/acme/support-accesses", answer: Examples.list(Examples.supportAccess),
            shows: "active"),
    ]
}
