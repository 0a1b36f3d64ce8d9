import Apple

/// Apple's response to a login attempt.
enum AppleAnswer {
    /// Only the first authorization has `user`, which contains the name. The first one after a revocation also has it.
    case code(String, idToken: String?, isNewConsent: Bool, name: AppleUser?)
    /// The user pressed Cancel. Apple sends no other error.
    case cancelled
    case other

    init(_ form: AppleForm) {
        self =
            if let error = form.error {
                error == "user_cancelled_authorize" ? .cancelled : .other
            } else if let code = form.code {
                .code(code, idToken: form.idToken, isNewConsent: form.user != nil, name: form.user.flatMap(AppleUser.init(field:)))
            } else {
                .other
            }
    }
}
