import Synchronization

/// The open connections of a port, counted in total and by network.
package final class OpenConnections: Sendable {
    /// The cap that rejects a connection.
    package enum Cap: String, CaseIterable, Sendable {
        case total, address
    }

    private struct State {
        var total = 0
        var byNetwork: [String: Int] = [:]
        var refused: [Cap: UInt64] = [:]
    }

    private let state = Mutex(State())
    private let ending = Atomic(false)

    package init() {}

    /// Whether each response is the last one of its connection, because the server is about to stop. A proxy then opens a new connection
    /// for its next request, to another server.
    package var isEnding: Bool { ending.load(ordering: .relaxed) }

    package func end() { ending.store(true, ordering: .relaxed) }

    /// Counts a connection, or rejects it.
    func open(from network: String, within limits: ConnectionLimits) -> Bool {
        state.withLock { state in
            guard state.total < limits.total else {
                state.refused[.total, default: 0] += 1
                return false
            }
            if let perAddress = limits.perAddress, state.byNetwork[network, default: 0] >= perAddress {
                state.refused[.address, default: 0] += 1
                return false
            }
            state.total += 1
            state.byNetwork[network, default: 0] += 1
            return true
        }
    }

    func close(from network: String) {
        state.withLock { state in
            state.total -= 1
            state.byNetwork[network, default: 0] -= 1
            if state.byNetwork[network] == 0 { state.byNetwork[network] = nil }
        }
    }

    package var count: Int { state.withLock { $0.total } }

    func refused(by cap: Cap) -> UInt64 { state.withLock { $0.refused[cap] ?? 0 } }
}
