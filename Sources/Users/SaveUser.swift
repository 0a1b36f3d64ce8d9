package import Access
package import Apple
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// Saves the user that Apple vouches for, at the callback and at a native sign-in.
package struct SaveUser: Sendable {
    let pool: DatabasePool
    let keyring: Keyring

    package init(pool: DatabasePool, keyring: Keyring) {
        (self.pool, self.keyring) = (pool, keyring)
    }

    /// The user that Apple vouches for. A returning user whose data did not change is only read, because the session records the sign-in.
    /// - Parameter isNewConsent: whether Apple reports the user's first authorization. It may be the first one after a revocation.
    /// - Returns: The user, or nil if the user's consent at Apple has ended.
    package func callAsFunction(
        _ token: IDToken, _ name: AppleUser?, isNewConsent: Bool, refreshToken: String?, _ asked: Identity.Asked, _ connection: Connection,
        at now: Date
    ) async throws -> ID<User>? {
        let saved = try await saved(
            token, name, isNewConsent: isNewConsent, refreshToken: refreshToken, asked, connection, isAsking: false, at: now)
        if case .user(let user)? = saved { return user }
        return nil
    }

    /// The outcome of a sign-in that may ask the person.
    package enum Saved: Sendable {
        case user(ID<User>)
        /// Nothing was saved. This user has the same address, so the person must decide first.
        case candidate(ID<User>)
    }

    /// Saves the user as above, or finds the user that the person must be asked about.
    /// - Parameters:
    ///   - keptName: the name of an earlier sign-in that saved no user. It is saved unless Apple sends another one or the user is only read.
    ///   - isAsking: whether a first sign-in with the address of another user creates no user.
    package func saved(
        _ token: IDToken, _ name: AppleUser?, keptName: AppleUser? = nil, isNewConsent: Bool, refreshToken: String?,
        _ asked: Identity.Asked, _ connection: Connection, isAsking: Bool, at now: Date
    ) async throws -> Saved? {
        let database = OwnerDatabase(pool, tenant: asked.tenant).repeatable
        var isKnown = false
        if name == nil, !isNewConsent {
            let find = Identity.find(by: token, hasRefreshToken: refreshToken != nil, of: asked.tenant, connection: connection, at: now)
            let found = try await database.run(find).first { row in
                (user: try row.get("id", as: ID<User>.self), isUnchanged: try row.get("is_unchanged", as: Bool.self))
            }
            if let found, found.isUnchanged { return .user(found.user) }
            isKnown = found != nil
        }
        let name = name ?? keptName
        let candidate = isAsking && !isKnown ? Identity.candidate(token, of: asked.tenant, connection: connection, at: now) : nil
        if !isKnown, token.transferSubject == nil, !connection.isRelinking(at: now) {
            let create = Identity.create(
                token, name, refreshToken: refreshToken, asked: asked, connection: connection, keyring: keyring, unless: candidate, at: now)
            do {
                let saved = try await database.run(create).first { row in
                    let user = try row.get("id", as: ID<User>.self)
                    return try row.get("is_candidate", as: Bool.self) ? Saved.candidate(user) : .user(user)
                }
                if let saved { return saved }
            } catch let error as DatabaseError where error.kind == .connection || error.isSerializationFailure {
                // `save` finds the user if the first execution took effect.
            }
        }
        if let candidate, let user = try await database.run(candidate).first({ try $0.get("id", as: ID<User>.self) }) {
            return .candidate(user)
        }
        return try await save(token, name, refreshToken: refreshToken, asked, connection, at: now).map(Saved.user)
    }

    /// Stores Apple's refresh token of a user that `callAsFunction` saved a moment ago for another id_token of the same sign-in.
    /// - Returns: The user, or nil if the user's consent at Apple has ended.
    package func complete(
        _ user: ID<User>, savedFor earlier: IDToken, _ token: IDToken, _ name: AppleUser?, refreshToken: String?, _ asked: Identity.Asked,
        _ connection: Connection, at now: Date
    ) async throws -> ID<User>? {
        if let refreshToken, token.hasAddress(of: earlier) {
            let kept = Identity.keep(
                refreshToken: refreshToken, of: token, user: user, asked.tenant, connection: connection, keyring: keyring, at: now)
            let found = try await OwnerDatabase(pool, tenant: asked.tenant).repeatable.run(kept)
            if let user = try found.first({ try $0.get("id", as: ID<User>.self) }) { return user }
        }
        return try await save(token, name, refreshToken: refreshToken, asked, connection, at: now)
    }

    /// Saves the user, and the name, before anything else can fail.
    private func save(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, _ asked: Identity.Asked, _ connection: Connection, at now: Date
    ) async throws -> ID<User>? {
        var batch = Statements()
        // A transferred user comes first, because Apple itself identifies the user.
        if let move = Identity.move(token, tenant: asked.tenant, application: asked.application, connection: connection, at: now) {
            batch.append(move)
        }
        // Then an open relink window decides which user this is, in the same transaction.
        for statement in Identity.relink(token, name, asked: asked, connection: connection, at: now) { batch.append(statement) }
        let saved = batch.append(
            Identity.save(
                token, name, refreshToken: refreshToken, asked: asked, connection: connection, keyring: keyring, at: now))
        if let audit = Identity.auditMove(token, tenant: asked.tenant, application: asked.application, connection: connection, at: now) {
            batch.append(audit)
        }
        // A lost database connection, or a deadlock with a concurrent sign-in or deletion, must not lose the name. A repetition has no second
        // effect.
        let database = OwnerDatabase(pool, tenant: asked.tenant).repeatable
        let results: Statements.Results
        do {
            results = try await database.run(batch)
        } catch let error as DatabaseError where error.kind == .connection || error.isSerializationFailure {
            results = try await database.run(batch)
        }
        return try results[saved].first { try $0.get("id", as: ID<User>.self) }
    }
}

extension IDToken {
    /// Whether two id_tokens of a sign-in agree on the user's email address.
    fileprivate func hasAddress(of other: IDToken) -> Bool {
        email.map { Array($0.utf8) } == other.email.map { Array($0.utf8) } && emailVerified == other.emailVerified
            && isPrivateEmail == other.isPrivateEmail
    }
}
