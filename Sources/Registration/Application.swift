import Tenancy

/// An application is a tenant's. The HTTP framework has a type of that name, too.
typealias Application = Tenancy.Application
