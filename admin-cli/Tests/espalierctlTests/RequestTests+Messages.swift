/// The requests of the commands for webhooks, notifications and mails.
extension RequestTests {
    static let webhooks: [Example] = [
        .init(
            "webhooks create https://acme.example.com/hooks --tenant acme --event user.created --event user.deleted --description mine",
            "POST /v1/tenants/acme/webhooks",
            #"{"description":"mine","events":["user.created","user.deleted"],"url":"https://acme.example.com/hooks"}"#,
            answer: Examples.webhookWithSecret, shows: "whsec_hush"),
        .init(
            "webhooks create https://acme.example.com/hooks --tenant acme --event user.created --format workos",
            "POST /v1/tenants/acme/webhooks", #"{"events":["user.created"],"format":"workos","url":"https://acme.example.com/hooks"}"#,
            answer: Examples.webhookWithSecret, shows: "whsec_hush"),
        .init("webhooks list --tenant acme", "GET /v1/tenants/acme/webhooks", answer: Examples.list(Examples.webhook), shows: "EVENTS"),
        .init(
            "webhooks show webhook_1 --tenant acme", "GET /v1/tenants/acme/webhooks/webhook_1", answer: Examples.webhook, shows: "enabled"),
        .init(
            "webhooks update webhook_1 --tenant acme --status disabled --event user.deleted", "PATCH /v1/tenants/acme/webhooks/webhook_1",
            #"{"events":["user.deleted"],"status":"disabled"}"#, answer: Examples.webhook,
            matchedPath: "/v1/tenants/acme/webhooks/webhook_1",
            shows: "webhook_1"),
        .init(
            "webhooks delete webhook_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/webhooks/webhook_1", answer: "",
            shows: "Deleted webhook_1."),
        .init(
            "webhooks test webhook_1 --tenant acme", "POST /v1/tenants/acme/webhooks/webhook_1/test", answer: Examples.delivery,
            shows: "webhook.test"),
        .init(
            "webhooks trigger user.created --tenant acme", "POST /v1/tenants/acme/webhooks/trigger", #"{"type":"user.created"}"#,
            answer:
                #"""
                {"id":"event_1","object":"webhook_event","type":"user.created","is_example":true,"deliveries":2,\#
                "created_at":"2026-11-21T08:00:00Z","updated_at":"2026-11-21T08:00:00Z"}
                """#,
            shows: "2026-11-21T08:00:00Z"),
        .init(
            "webhooks roll-secret webhook_1 --tenant acme", "POST /v1/tenants/acme/webhooks/webhook_1/secrets/roll",
            #"{"overlap_seconds":86400}"#, answer: Examples.webhookSecret, shows: "whsec_hush"),
        .init(
            "webhooks deliveries list webhook_1 --tenant acme --state failed",
            "GET /v1/tenants/acme/webhooks/webhook_1/deliveries?state=failed",
            answer: Examples.list(Examples.delivery), shows: "ATTEMPTS"),
        .init(
            "webhooks deliveries show webhook_1 delivery_1 --tenant acme", "GET /v1/tenants/acme/webhooks/webhook_1/deliveries/delivery_1",
            answer: Examples.delivery, shows: "pending"),
        .init(
            "webhooks deliveries replay webhook_1 delivery_1 --tenant acme",
            "POST /v1/tenants/acme/webhooks/webhook_1/deliveries/delivery_1/replay", answer: Examples.delivery, shows: "pending"),
    ]

    static let notifications: [Example] = [
        .init(
            "notifications list --tenant acme --type consent-revoked --outcome unknown_user",
            "GET /v1/tenants/acme/notifications?type=consent-revoked&outcome=unknown_user", answer: Examples.list(Examples.notification),
            shows: "OUTCOME"),
        .init(
            "notifications list --platform", "GET /v1/platform/notifications", answer: Examples.list(Examples.notification),
            shows: "consent-revoked"),
        .init(
            "notifications show notification_1 --tenant acme", "GET /v1/tenants/acme/notifications/notification_1",
            answer: Examples.notification, shows: "001.ff"),
        .init(
            "notifications replay notification_1 --tenant acme", "POST /v1/tenants/acme/notifications/notification_1/replay",
            answer: Examples.notification, shows: "applied"),
        .init(
            "notifications replay notification_1 --platform", "POST /v1/platform/notifications/notification_1/replay",
            answer: Examples.notification, shows: "applied"),
    ]

    static let mail: [Example] = [
        .init("mail show", "GET /v1/platform/mail", answer: Examples.mail, shows: "smtp.example.com"),
        .init("mail show --timeout 31", "GET /v1/platform/mail", answer: Examples.mail, shows: "deferred"),
        .init(
            "mail show --timeout 32", "GET /v1/platform/mail", answer: #"{"object":"mail","has_sender":false,"waiting":{"mails":7}}"#,
            shows: "7"),
        .init(
            "mail test ada@example.com", "POST /v1/platform/mail/test", #"{"to":"ada@example.com"}"#,
            answer: #"{"object":"mail_test","outcome":"sent","reply_code":250}"#, shows: "sent"),
    ]
}
