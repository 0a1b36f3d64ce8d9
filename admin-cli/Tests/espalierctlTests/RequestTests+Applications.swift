/// The requests of the commands for applications, APIs and registration.
extension RequestTests {
    static let applications: [Example] = [
        .init(
            """
            applications register --tenant acme --name Shop --kind web --redirect-uri https://a.example/cb --redirect-uri https://b.example/cb \
            --logout-uri https://a.example/bye --backchannel-logout-uri https://a.example/gone --bundle-id com.example.shop --no-pkce --require-offline-access --development-uris --access-token-lifetime 15m --session-lifetime 30d \
            --idle-lifetime 7d --signing-algorithm RS256
            """, "POST /v1/tenants/acme/applications",
            #"""
            {"access_token_seconds":900,"allows_development_uris":true,"backchannel_logout_uri":"https://a.example/gone","bundle_ids":["com.example.shop"],"idle_seconds":604800,"kind":"web",\#
            "logout_uris":["https://a.example/bye"],"name":"Shop","redirect_uris":["https://a.example/cb","https://b.example/cb"],\#
            "requires_offline_access":true,"requires_pkce":false,"session_seconds":2592000,"signing_algorithm":"RS256"}
            """#, answer: Examples.applicationWithSecret, shows: "hush-hush"),
        .init(
            "applications register --tenant acme --name Robot --kind machine --auth-method private_key_jwt --jwks-uri https://a.example/jwks",
            "POST /v1/tenants/acme/applications",
            #"{"jwks_uri":"https://a.example/jwks","kind":"machine","name":"Robot","redirect_uris":[],"token_endpoint_auth_method":"private_key_jwt"}"#,
            answer: Examples.application, shows: "client_secret_basic"),
        .init(
            "applications update app_1 --tenant acme --auth-method private_key_jwt --jwks-uri https://a.example/jwks",
            "PATCH /v1/tenants/acme/applications/app_1",
            #"{"jwks":null,"jwks_uri":"https://a.example/jwks","token_endpoint_auth_method":"private_key_jwt"}"#,
            answer: Examples.application, matchedPath: "/v1/tenants/acme/applications/app_1", shows: "Shop"),
        .init(
            "applications register --tenant acme --name Robot --kind machine", "POST /v1/tenants/acme/applications",
            #"{"kind":"machine","name":"Robot","redirect_uris":[]}"#, answer: Examples.application, shows: "app_1"),
        .init(
            "applications list --tenant acme", "GET /v1/tenants/acme/applications", answer: Examples.list(Examples.application),
            shows: "REDIRECT URIS"),
        .init(
            "applications show app_1 --tenant acme", "GET /v1/tenants/acme/applications/app_1", answer: Examples.application, shows: "ES256"
        ),
        .init(
            """
            applications update app_1 --tenant acme --name Shop --logout-uri '' --pkce --no-require-offline-access --no-development-uris \
            --tokens-in-url --require-pushed-requests --require-dpop --device-grant --third-party --sign-in-page none \
            --require-name
            """,
            "PATCH /v1/tenants/acme/applications/app_1",
            #"""
            {"allows_development_uris":false,"allows_device_grant":true,"is_third_party":true,"logout_uris":[],"name":"Shop","requires_dpop":true,\#
            "requires_name":true,"requires_offline_access":false,"requires_pkce":true,"requires_pushed_requests":true,"returns_tokens_in_url":true,"sign_in_page":null}
            """#,
            answer: Examples.application,
            matchedPath: "/v1/tenants/acme/applications/app_1", shows: "Shop"),
        .init(
            "applications update app_1 --tenant acme --login-url https://shop.example.com/login",
            "PATCH /v1/tenants/acme/applications/app_1", #"{"login_url":"https://shop.example.com/login"}"#, answer: Examples.application,
            matchedPath: "/v1/tenants/acme/applications/app_1", shows: "app_1"),
        .init(
            "applications update app_1 --tenant acme --login-url ''", "PATCH /v1/tenants/acme/applications/app_1",
            #"{"login_url":null}"#, answer: Examples.application, matchedPath: "/v1/tenants/acme/applications/app_1", shows: "app_1"),
        .init(
            "applications update app_1 --tenant acme --frontchannel-logout-uri https://a.example/out --no-frontchannel-logout-session",
            "PATCH /v1/tenants/acme/applications/app_1",
            #"{"frontchannel_logout_session_required":false,"frontchannel_logout_uri":"https://a.example/out"}"#,
            answer: Examples.application, matchedPath: "/v1/tenants/acme/applications/app_1", shows: "Shop"),
        .init(
            "applications update app_1 --tenant acme --frontchannel-logout-uri ''", "PATCH /v1/tenants/acme/applications/app_1",
            #"{"frontchannel_logout_uri":null}"#, answer: Examples.application, matchedPath: "/v1/tenants/acme/applications/app_1",
            shows: "Shop"),
        .init(
            "applications update app_1 --tenant acme --backchannel-logout-uri ''", "PATCH /v1/tenants/acme/applications/app_1",
            #"{"backchannel_logout_uri":null}"#, answer: Examples.application, matchedPath: "/v1/tenants/acme/applications/app_1",
            shows: "Shop"),
        .init(
            "applications delete app_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/applications/app_1", answer: "",
            shows: "Deleted app_1."),
        .init(
            "applications secrets list app_1 --tenant acme", "GET /v1/tenants/acme/applications/app_1/secrets",
            answer: Examples.list(Examples.applicationSecret), shows: "ENDS WITH"),
        .init(
            "applications secrets roll app_1 --tenant acme --overlap 7d", "POST /v1/tenants/acme/applications/app_1/secrets/roll",
            #"{"overlap_seconds":604800}"#, answer: Examples.applicationSecret, shows: "secret_1"),
        .init(
            "applications secrets revoke app_1 secret_1 --tenant acme --confirm=acme",
            "DELETE /v1/tenants/acme/applications/app_1/secrets/secret_1", answer: "", shows: "Revoked secret_1."),
    ]

    static let apis: [Example] = [
        .init(
            """
            apis create https://orders.example.com --tenant acme --name Orders --scope orders:read --scope orders:write \
            --access-token-lifetime 15m --application app_1 --application app_2=orders:read,orders:write --application app_3=
            """, "POST /v1/tenants/acme/apis",
            #"""
            {"access_token_seconds":900,"applications":[{"id":"app_1","scopes":null},\#
            {"id":"app_2","scopes":["orders:read","orders:write"]},{"id":"app_3","scopes":[]}],\#
            "audience":"https://orders.example.com","name":"Orders","scopes":["orders:read","orders:write"]}
            """#, answer: Examples.api, shows: "https://orders.example.com"),
        .init("apis list --tenant acme", "GET /v1/tenants/acme/apis", answer: Examples.list(Examples.api), shows: "AUDIENCE"),
        .init("apis show api_1 --tenant acme", "GET /v1/tenants/acme/apis/api_1", answer: Examples.api, shows: "app_2"),
        .init(
            "apis update api_1 --tenant acme --name Shop --application ''", "PATCH /v1/tenants/acme/apis/api_1",
            #"{"applications":[],"name":"Shop"}"#, answer: Examples.api, matchedPath: "/v1/tenants/acme/apis/api_1", shows: "api_1"),
        .init(
            "apis delete api_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/apis/api_1", answer: "", shows: "Deleted api_1."),
    ]

    static let registration: [Example] = [
        .init(
            """
            initial-access-tokens issue --tenant acme --name Portal --kind web --kind machine --no-pkce --registrations 10 \
            --expires-at 2027-01-01
            """, "POST /v1/tenants/acme/initial-access-tokens",
            #"""
            {"expires_at":"2027-01-01T00:00:00Z","kinds":["web","machine"],"max_registrations":10,"name":"Portal","requires_pkce":false}
            """#, answer: Examples.initialAccessTokenWithSecret, shows: "eit_hushhush"),
        .init(
            "initial-access-tokens issue --tenant acme --name Portal", "POST /v1/tenants/acme/initial-access-tokens", #"{"name":"Portal"}"#,
            answer: Examples.initialAccessTokenWithSecret, shows: "shown only once"),
        .init(
            "initial-access-tokens list --tenant acme", "GET /v1/tenants/acme/initial-access-tokens",
            answer: Examples.list(Examples.initialAccessToken), shows: "USED"),
        .init(
            "initial-access-tokens show iat_1 --tenant acme", "GET /v1/tenants/acme/initial-access-tokens/iat_1",
            answer: Examples.initialAccessToken, shows: "Partner portal"),
        .init(
            "initial-access-tokens revoke iat_1 --tenant acme --confirm=acme",
            "POST /v1/tenants/acme/initial-access-tokens/iat_1/revoke", answer: Examples.initialAccessToken, shows: "Partner portal"),
        .init(
            "applications registration show app_1 --tenant acme", "GET /v1/tenants/acme/applications/app_1/registration",
            answer: Examples.applicationRegistration, shows: "example-shop"),
        .init(
            "applications registration end app_1 --tenant acme --confirm=acme",
            "DELETE /v1/tenants/acme/applications/app_1/registration", answer: "", shows: "Ended the registration of app_1."),
    ]
}
