/// The requests of the commands for the provider of a tenant's members.
extension RequestTests {
    static let sso: [Example] = [
        .init("sso show --tenant acme", "GET /v1/tenants/acme/sso", answer: Examples.sso, shows: "account/sso/callback"),
        .init(
            "sso set --tenant acme --issuer https://login.customer.com --client-id espalier --required", "PUT /v1/tenants/acme/sso",
            #"{"client_id":"espalier","is_required":true,"issuer":"https://login.customer.com"}"#, answer: Examples.sso, shows: "sso_1"),
        .init(
            "sso check --tenant acme", "POST /v1/tenants/acme/sso/check",
            answer: #"{"object":"sso_check","is_ready":true,"failures":[]}"#, shows: "Ready"),
        .init(
            "sso remove --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/sso", answer: "", shows: "Deleted the provider."),
        .init(
            "sso domains create customer.com --tenant acme", "POST /v1/tenants/acme/sso/domains", #"{"domain":"customer.com"}"#,
            answer: Examples.ssoDomain, shows: "espalierctl sso domains verify ssodomain_1"),
        .init(
            "sso domains list --tenant acme", "GET /v1/tenants/acme/sso/domains", answer: Examples.list(Examples.ssoDomain),
            shows: "STATE"),
        .init(
            "sso domains verify ssodomain_1 --tenant acme", "POST /v1/tenants/acme/sso/domains/ssodomain_1/verify",
            answer: #"{"object":"sso_domain_verification","outcome":"found","domain":\#(Examples.ssoDomain)}"#, shows: "found"),
        .init(
            "sso domains delete ssodomain_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/sso/domains/ssodomain_1", answer: "",
            shows: "Deleted ssodomain_1."),
    ]
}

extension Examples {
    static let sso = #"""
        {"id":"sso_1","object":"sso","issuer":"https://login.customer.com","client_id":"espalier","is_required":false,\#
        "redirect_uri":"https://login.example.com/account/sso/callback",\#(times)}
        """#
    static let ssoDomain = #"""
        {"id":"ssodomain_1","object":"sso_domain","domain":"customer.com","state":"pending",\#
        "proof":{"name":"_espalier-sso.customer.com","type":"TXT","value":"espalier-sso=token"},\#
        "expires_at":"2026-11-28T08:00:00Z",\#(times)}
        """#
}
