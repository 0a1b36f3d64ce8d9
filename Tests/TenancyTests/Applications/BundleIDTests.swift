import Access
import Tenancy
import Testing

@Suite("Bundle ID")
struct BundleIDTests {
    @Test(
        "these are reverse domain names",
        arguments: ["com.example", "com.example.app-2", "A1.b-", String(repeating: "a", count: 253) + ".b"])
    func accepted(_ id: String) {
        #expect(BundleID.refusal(of: id) == nil)
    }

    @Test(
        "these are not reverse domain names",
        arguments: ["", "com", ".com.example", "com.example.", "com..example", "com.example.app_2", "com.exämple", "com.example ", "*.*"]
            + [String(repeating: "a", count: 254) + ".b"])
    func refused(_ id: String) {
        #expect(BundleID.refusal(of: id) != nil)
    }
}
