import Foundation

/// The person's browser on this machine.
struct Browser {
    private let program: String
    private let environment: [String: String]

    /// Nil without a program that opens addresses, without a screen, and in a session on another machine, because a browser here would open
    /// where the person does not see it.
    init?(_ environment: [String: String]) {
        let environment = environment.filter { !$0.value.isEmpty }
        guard environment["SSH_CONNECTION"] == nil else { return nil }
        #if os(macOS)
        let name = "open"
        #else
        let name = "xdg-open"
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return nil }
        #endif
        guard let program = ExternalProgram.find(name, environment) else { return nil }
        (self.program, self.environment) = (program, environment)
    }

    /// - Returns: whether the program was started.
    func open(_ address: String) -> Bool {
        ExternalProgram.start(program, [address], environment)
    }
}
