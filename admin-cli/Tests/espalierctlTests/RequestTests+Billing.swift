/// The requests of the commands for usage, prices and budgets.
extension RequestTests {
    static let usageSink: [Example] = [
        .init(
            "usage list --from 2026-11-01 --to 2026-12-01 --limit 2",
            "GET /v1/usage?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z&limit=2",
            answer: Examples.list(
                #"{"tenant_id":"tenant_1","slug":"acme","logins":13,"silent_logins":7,"users":5,"complete_until":"2026-11-21T09:58:00Z"}"#),
            shows: "2026-11-21T09:58:00Z"),
        .init(
            "usage sink create --format stripe --url https://api.stripe.com/v1/billing/meter_events --event-name logins",
            "POST /v1/platform/usage-sink",
            #"{"event_name":"logins","format":"stripe","url":"https://api.stripe.com/v1/billing/meter_events"}"#,
            answer: Examples.usageSink, shows: "customers set"),
        .init("usage sink show --timeout 30", "GET /v1/platform/usage-sink", answer: Examples.usageSink, shows: "no_customer"),
        .init("usage sink show --timeout 31", "GET /v1/platform/usage-sink", answer: Examples.usageSink, shows: "Perhaps counted"),
        .init(
            "usage sink update --status paused", "PATCH /v1/platform/usage-sink", #"{"status":"paused"}"#, answer: Examples.usageSink,
            matchedPath: "/v1/platform/usage-sink", shows: "usagesink_1"),
        .init("usage sink delete --confirm=platform", "DELETE /v1/platform/usage-sink", answer: "", shows: "Deleted the usage sink."),
        .init("usage sink retry --timeout 30", "POST /v1/platform/usage-sink/retry", answer: Examples.usageSink, shows: "usagesink_1"),
        .init(
            "usage sink events --limit 2", "GET /v1/platform/usage-sink/events?limit=2", answer: Examples.list(Examples.usageSinkEvent),
            shows: "422"),
        .init(
            "usage sink differences --limit 2", "GET /v1/platform/usage-sink/differences?limit=2",
            answer: Examples.list(Examples.usageSinkDifference), shows: "1042"),
        .init(
            "usage sink customers list --limit 2", "GET /v1/platform/usage-sink/customers?limit=2",
            answer: Examples.list(Examples.usageSinkCustomer), shows: "cus_1"),
        .init(
            "usage sink customers set cus_1 --tenant acme", "PUT /v1/tenants/acme/usage-sink-customer", #"{"customer_id":"cus_1"}"#,
            answer: Examples.usageSinkCustomer, shows: "cus_1"),
        .init(
            "usage sink customers set none --tenant acme", "PUT /v1/tenants/acme/usage-sink-customer", #"{"customer_id":null}"#,
            answer: Examples.usageSinkCustomer, shows: "tenant_1"),
        .init(
            "usage sink customers remove --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/usage-sink-customer", answer: "",
            shows: "Removed the tenant's Stripe customer."),
    ]

    static let budget: [Example] = [
        .init("budget show --tenant acme", "GET /v1/tenants/acme/budget", answer: Examples.budget, shows: "500.00 USD"),
        .init(
            "budget set --logins 100000 --tenant acme", "PUT /v1/tenants/acme/budget", #"{"hard":false,"logins":100000}"#,
            answer: Examples.budgetOfLogins, shows: "51234 logins"),
        .init(
            "budget set --amount 500.00 --currency USD --hard --tenant acme", "PUT /v1/tenants/acme/budget",
            #"{"amount_micros":500000000,"currency":"USD","hard":true}"#, answer: Examples.budget, shows: "256.17 USD"),
        .init(
            "budget set --amount 0.5 --currency KWD --tenant acme", "PUT /v1/tenants/acme/budget",
            #"{"amount_micros":500000,"currency":"KWD","hard":false}"#, answer: Examples.budget, shows: "2026-12-01"),
        .init("budget remove --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/budget", answer: "", shows: "Removed the budget."),
    ]

    static let pricing: [Example] = [
        .init(
            "pricing estimate --logins 250000 --plan scale", "POST /v1/pricing/estimate", #"{"logins":250000,"plan":"scale"}"#,
            answer: Examples.estimate, shows: "1250.00"),
        .init(
            "pricing estimate --logins 250000 --silent-logins 30000 --plan scale", "POST /v1/pricing/estimate",
            #"{"logins":250000,"plan":"scale","silent_logins":30000}"#, answer: Examples.estimate,
            shows: "250000 logins and 30000 silent sign-ins per month"),
        .init(
            "pricing estimate --logins 0 --tenant acme --on 2027-01-01", "POST /v1/pricing/estimate",
            #"{"logins":0,"on":"2027-01-01","tenant":"acme"}"#, answer: Examples.estimate, shows: "Total"),
        .init(
            "rate-cards list --platform --plan scale --limit 2", "GET /v1/rate-cards?plan=scale&limit=2",
            answer: Examples.list(Examples.rateCard), shows: "0.005 up to 100000, then 0.004"),
        .init(
            "rate-cards create --tenant acme --effective-from 2027-01-01 --currency USD --tier 0.005 --silent-login 0.001",
            "POST /v1/tenants/acme/rate-cards",
            #"{"currency":"USD","effective_from":"2027-01-01","silent_login_micros":1000,"tiers":[{"unit_price_micros":5000}]}"#,
            answer: Examples.rateCard, shows: "silent sign-ins 0.001"),
        .init(
            "rate-cards list --tenant acme", "GET /v1/tenants/acme/rate-cards", answer: Examples.list(Examples.ownRateCard),
            shows: "the plan's prices"),
        .init("rate-cards show ratecard_1 --platform", "GET /v1/rate-cards/ratecard_1", answer: Examples.rateCard, shows: "49"),
        .init(
            "rate-cards show ratecard_1 --tenant acme", "GET /v1/tenants/acme/rate-cards/ratecard_1", answer: Examples.ownRateCard,
            shows: "the tenant"),
        .init(
            "rate-cards create --plan scale --effective-from 2027-01-01 --currency USD --base-fee 49 --included 1000 --minimum 99.5 --tier-mode volume --tier 100000:0.005 --tier 0.004",
            "POST /v1/rate-cards",
            #"{"base_fee_micros":49000000,"currency":"USD","effective_from":"2027-01-01","included_logins":1000,"minimum_micros":99500000,"plan":"scale","tier_mode":"volume","tiers":[{"unit_price_micros":5000,"up_to":100000},{"unit_price_micros":4000}]}"#,
            answer: Examples.rateCard, shows: "ratecard_1"),
        .init(
            "rate-cards create --tenant acme --effective-from 2027-06-01 --follow-plan", "POST /v1/tenants/acme/rate-cards",
            #"{"effective_from":"2027-06-01","follows_plan":true}"#, answer: Examples.ownRateCard, shows: "the plan's prices"),
    ]
}
