package import Hummingbird
package import Web

/// Proof of a valid caller, also of a person who acts for nobody at the moment.
///
/// It serves only what a caller may know about itself.
package struct CallerContext: ChildRequestContext, RecordedContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    package let caller: Caller
    /// The tenant that the caller acts for. Nil for an operator, and for a person who acts for nobody.
    package let tenant: Tenant?
    /// The tenant that the request of an operator names.
    package let named: Tenant?

    package init(context: CallContext) throws {
        guard let caller = context.caller else { throw Problem.unauthenticated }
        let tenant = caller.tenant.flatMap { own in context.tenant.flatMap { $0.id == own ? $0 : nil } }
        // The keys of a deleted tenant are invalid.
        guard caller.actor.person != nil || caller.isOperator || tenant?.status == .active || tenant?.status == .suspended
        else { throw Problem.unauthenticated }
        if let tenant { context.record.note(tenant: tenant.slug) }
        (coreContext, record, self.caller, self.tenant) = (context.coreContext, context.record, caller, tenant)
        named = caller.isOperator ? context.tenant : nil
    }
}
