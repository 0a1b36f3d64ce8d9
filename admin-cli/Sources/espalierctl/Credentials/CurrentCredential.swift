import Synchronization

/// The credential of a run. Another sign-in during the run replaces it.
final class CurrentCredential: Sendable {
    private let credential: Mutex<Credential>

    init(_ credential: Credential) {
        self.credential = Mutex(credential)
    }

    var value: Credential {
        get { credential.withLock { $0 } }
        set { credential.withLock { $0 = newValue } }
    }

    var isLogin: Bool {
        if case .login = value { true } else { false }
    }
}
