import Access
import People
import Testing

@Suite("Built-in roles")
struct BuiltInRoleTests {
    @Test("owners and operators have every scope")
    func everything() {
        #expect(BuiltInRole.owner.scopes == Set(APIKey.Scope.allCases))
        #expect(BuiltInRole.platformOperator.scopes == Set(APIKey.Scope.allCases))
        #expect(!BuiltInRole.ofTenants.contains(.platformOperator))
    }

    @Test("no other role has all scopes of an owner, so no one of them can make an owner")
    func below() {
        for role in BuiltInRole.ofTenants where role != .owner {
            #expect(role.scopes.isStrictSubset(of: BuiltInRole.owner.scopes), "\(role)")
        }
    }

    @Test("only owners and admins write members, and only owners and billing write money")
    func writers() {
        #expect(BuiltInRole.ofTenants.filter { $0.scopes.contains(.membersWrite) } == [.owner, .admin])
        #expect(BuiltInRole.ofTenants.filter { $0.scopes.contains(.usageWrite) } == [.owner, .billing])
        #expect(BuiltInRole.ofTenants.filter { $0.scopes.contains(.pricingWrite) } == [.owner])
    }

    @Test("a viewer reads everything and writes nothing, and a developer reads no prices")
    func readers() {
        let reads = Set(APIKey.Scope.allCases.filter { $0.rawValue.hasSuffix(":read") })
        #expect(BuiltInRole.viewer.scopes == reads)
        #expect(BuiltInRole.developer.scopes.isDisjoint(with: [.pricingRead, .statementsRead, .membersWrite, .usersWrite, .tenantsWrite]))
    }
}
