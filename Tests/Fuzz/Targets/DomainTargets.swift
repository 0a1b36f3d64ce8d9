@testable import Domains
import Fuzzing

extension FuzzTarget {
    private static let question: [UInt8] = [1, 97, 2, 98, 99, 0, 0, 16, 0, 1]
    private static let head: [UInt8] = [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0]
    private static let record: [UInt8] = [0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 2, 1, 120]
    private static let alias: [UInt8] = [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 2, 0xC0, 12]

    static let domains: [FuzzTarget] = [
        FuzzTarget("dns-message", bytes: [head + question + record + record, head + question + alias + record, head + question]) { bytes in
            guard case .records(let records)? = try? DNSMessage.answer(in: bytes, to: .txt, of: "a.bc", id: 0x1234) else { return }
            try hold(bytes.starts(with: [0x12, 0x34]) && bytes.count > 12, "a message of another question is read")
            try hold(records.allSatisfy { $0.count < bytes.count }, "a record is longer than its message")
        },
        FuzzTarget(text: "domain-name", seeds: ["login.customer.com", "xn--bcher-kva.example", "a..b", "1.2.3.4", "x.login.test"]) { text in
            guard DomainName.refusal(of: text, publicURL: "https://login.test") == nil else { return }
            let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-.".utf8)
            try hold(text.utf8.allSatisfy(allowed.contains) && text.utf8.count < 254, "it is not a host name")
            try hold(DNSMessage.encoded(DomainProof.recordPrefix + text) != nil, "its record cannot be looked for")
        },
    ]
}
