/// All grants of the server's role, in the words of the catalog. A migration that adds a grant also adds it here. The role has no
/// grant on a table without a line.
enum RoleGrants {
    static let tables = """
        api: DELETE INSERT SELECT UPDATE(access_token_seconds name scopes updated_at)
        api_application: DELETE INSERT SELECT
        api_key: INSERT SELECT UPDATE(expires_at expiry_told_at last_used_at revoked_at rolled_to updated_at)
        apple_key: DELETE INSERT SELECT UPDATE(fingerprint last_used_at proven_at sealed_pem state updated_at usable_until)
        apple_notification: DELETE INSERT SELECT UPDATE(attempts outcome state updated_at users waiting_since)
        apple_revocation: INSERT SELECT UPDATE(attempts concluded_at last_tried_at reason sealed_grant status waiting_since)
        application: DELETE INSERT SELECT UPDATE(access_token_seconds allows_development_uris allows_device_grant backchannel_logout_uri bundle_ids \
            frontchannel_logout_session_required frontchannel_logout_uri idle_seconds is_third_party jwks jwks_uri login_url logout_uris name redirect_uris requires_dpop requires_name requires_offline_access requires_pkce \
            requires_pushed_requests returns_tokens_in_url session_seconds sign_in_page signing_algorithm token_endpoint_auth_method updated_at)
        application_secret: DELETE INSERT SELECT UPDATE(expires_at)
        audit_event: SELECT INSERT(action actor address after before id occurred_at request_id session_id subject support_access_id \
            tenant_id)
        authkit_user: INSERT SELECT UPDATE(external_id metadata updated_at)
        backchannel_logout: DELETE SELECT
        branding: INSERT SELECT UPDATE(color default_language display_name privacy_url support_url terms_url updated_at)
        browser_session: DELETE INSERT SELECT UPDATE(address authenticated_at ended_at ended_reason expires_at generation last_used_at \
            presented_at rotated_at signed_in_at user_agent)
        budget: DELETE INSERT SELECT UPDATE(amount_micros currency is_hard logins refused_until told_percent told_period \
            updated_at)
        client_registration: DELETE INSERT SELECT UPDATE(metadata updated_at)
        connection: DELETE INSERT SELECT UPDATE(bundle_ids check_claimed_at check_due_at check_outcome check_steps checked_at \
            email_sources relink_until services_id updated_at)
        consent: INSERT SELECT UPDATE(api_ids given_at revoked_at scopes updated_at)
        custom_role: DELETE INSERT SELECT UPDATE(name scopes updated_at)
        device_authorization: DELETE INSERT SELECT UPDATE(approved_login interval_seconds login_id polled_at state)
        digest_key: SELECT
        domain: DELETE INSERT SELECT UPDATE(check_due_at checked_at failing_since is_exclusive is_primary proved_since state \
            updated_at verified_at)
        idempotency_key: DELETE INSERT SELECT UPDATE(body_digest created_at locked_until sealed_answer)
        identity: DELETE INSERT SELECT UPDATE(apple_client_id is_asserted last_login_at revoked_at sealed_refresh_token vouched_at)
        initial_access_token: INSERT SELECT UPDATE(registrations revoked_at updated_at)
        invitation: DELETE INSERT SELECT UPDATE(accepted_at person_id updated_at)
        logo: DELETE INSERT SELECT UPDATE(data digest media_type)
        lost_host: DELETE SELECT
        mail: DELETE INSERT SELECT UPDATE(attempt state uncertain)
        mail_status: INSERT SELECT UPDATE(failed_at failure failure_reply sent_at)
        master_key: SELECT
        membership: DELETE INSERT SELECT UPDATE(role role_id updated_at)
        outbox: DELETE INSERT SELECT UPDATE(attempts due_at)
        passkey: DELETE INSERT SELECT UPDATE(is_backed_up last_used_at name sign_count)
        person: DELETE INSERT SELECT UPDATE(code_failed_at code_failures email email_proved_at name password_changed_at \
            password_failed_at password_failures recovery_failed_at recovery_failures sealed_password sessions_valid_after updated_at)
        person_device: DELETE INSERT SELECT UPDATE(approval interval_seconds person_id polled_at state)
        person_identity: DELETE INSERT SELECT UPDATE(last_used_at)
        person_session: DELETE INSERT SELECT UPDATE(address authenticated_at ended_at ended_reason last_used_at methods user_agent)
        person_totp: DELETE INSERT SELECT UPDATE(confirmed_at last_step sealed_secret)
        rate_card: INSERT SELECT
        recovery_code: DELETE INSERT SELECT UPDATE(used_at)
        revocation: DELETE SELECT
        schema_migration: SELECT
        session: DELETE INSERT SELECT UPDATE(apple_team_id dpop_jkt ended_at ended_reason last_host refresh_generation refreshed_at \
            vouched_at)
        session_life: SELECT
        signing_key: DELETE INSERT SELECT UPDATE(activated_at published_until retired_at state)
        single_use: DELETE INSERT SELECT
        sso_connection: DELETE INSERT SELECT UPDATE(client_id is_required issuer sealed_client_secret signed_in_at updated_at)
        sso_domain: DELETE INSERT SELECT UPDATE(check_due_at checked_at failing_since state updated_at verified_at)
        statement: SELECT UPDATE(claimed_until)
        statement_line: SELECT
        statement_term: SELECT
        support_access: INSERT SELECT UPDATE(ended_at ended_by)
        team_transfer: INSERT SELECT UPDATE(closed_at closes_at forgotten_at updated_at)
        team_transfer_count: DELETE INSERT SELECT UPDATE(collected)
        team_transfer_user: DELETE INSERT SELECT UPDATE(apple_sub moved_by reason state transfer_sub updated_at)
        tenant: INSERT SELECT UPDATE(account_linking allows_support browser_idle_seconds browser_session_seconds connection_id idle_seconds name plan profile_retention_days purge_after session_seconds \
            shared_relink_until sign_in_page signing_key_days single_sign_on status status_before_deletion tokens_valid_after updated_at)
        tenant_plan: SELECT
        tenant_user: DELETE INSERT SELECT UPDATE(deleted_at email email_disabled email_event_at email_verified erase_after \
            family_name given_name is_private_email tokens_valid_after updated_at)
        usage_archive: SELECT(month tenant_id)
        usage_arrival: DELETE INSERT SELECT
        usage_day: INSERT SELECT UPDATE(events)
        usage_event: INSERT SELECT
        usage_meter_event: DELETE SELECT UPDATE(attempts confirmed_at customer_id due_at event_name fixed_at refused_at \
            refused_reason refused_status sent_at taken_at)
        usage_month_user: INSERT SELECT UPDATE(days)
        usage_sink: DELETE INSERT SELECT UPDATE(compare_at compare_failed_at compare_failure compare_status compared_at \
            delivered_at event_name failed_at failure failure_status failures lease leased_until resume_at sealed_secret status \
            updated_at url)
        usage_sink_batch: DELETE SELECT UPDATE(events)
        usage_sink_customer: DELETE INSERT SELECT UPDATE(customer_id failures resume_at updated_at)
        usage_sink_difference: DELETE INSERT SELECT UPDATE(check_at checked_at counted sent tenants)
        usage_sink_event: DELETE SELECT UPDATE(refused_at refused_status uncertain_since)
        usage_users: INSERT SELECT UPDATE(users)
        user_deletion: INSERT SELECT UPDATE(finished_at updated_at)
        webhook_delivery: INSERT SELECT UPDATE(attempts last_error last_status next_at state updated_at)
        webhook_endpoint: DELETE INSERT SELECT UPDATE(description disabled_reason events status updated_at url)
        webhook_event: DELETE INSERT SELECT
        webhook_listener: DELETE INSERT SELECT UPDATE(expires_at)
        webhook_secret: DELETE INSERT SELECT UPDATE(expires_at)
        """

    /// Functions that run as the owner of the schema and that the role may execute.
    static let functions = """
        add_digest_keys(bytea[],bytea[],timestamp with time zone)
        bind_api_keys(uuid[],uuid[],bytea[])
        bind_application_secrets(uuid[],uuid[],bytea[])
        close_statement(uuid,date,timestamp with time zone,bigint,bytea,timestamp with time zone,jsonb,jsonb)
        create_usage_partition(date)
        known_users(uuid,text)
        missing_usage_partitions(date[])
        note_master_keys(bytea[],timestamp with time zone)
        purge_tenant(uuid)
        shared_connection()
        take_statement(uuid,date,timestamp with time zone,timestamp with time zone)
        """
}
