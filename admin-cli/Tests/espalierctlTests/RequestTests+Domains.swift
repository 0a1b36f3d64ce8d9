/// The requests of the commands for domains.
extension RequestTests {
    static let domains: [Example] = [
        .init(
            "domains create login.customer.com --tenant acme", "POST /v1/tenants/acme/domains", #"{"host":"login.customer.com"}"#,
            answer: Examples.domain, shows: "_espalier.login.customer.com"),
        .init("domains list --tenant acme", "GET /v1/tenants/acme/domains", answer: Examples.list(Examples.domain), shows: "PRIMARY"),
        .init(
            "domains show domain_1 --tenant acme", "GET /v1/tenants/acme/domains/domain_1", answer: Examples.domain,
            shows: "espalier-domain=token"),
        .init(
            "domains verify domain_1 --tenant acme", "POST /v1/tenants/acme/domains/domain_1/verify",
            answer: Examples.verification("found"), shows: "login.customer.com"),
        .init(
            "domains update domain_1 --tenant acme --primary --no-exclusive", "PATCH /v1/tenants/acme/domains/domain_1",
            #"{"is_exclusive":false,"is_primary":true}"#, answer: Examples.domain,
            matchedPath: "/v1/tenants/acme/domains/domain_1", shows: "domain_1"),
        .init(
            "domains update domain_1 --tenant acme --primary --exclusive --skip-check --confirm=acme",
            "PATCH /v1/tenants/acme/domains/domain_1", #"{"is_exclusive":true,"is_primary":true,"skip_check":true}"#,
            answer: Examples.domain, matchedPath: "/v1/tenants/acme/domains/domain_1", shows: "domain_1"),
        .init(
            "domains delete domain_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/domains/domain_1", answer: "",
            shows: "Deleted domain_1."),
    ]
}
