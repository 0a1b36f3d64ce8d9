import Hummingbird

/// The decision of the person at Apple's sheet.
enum Decision: Sendable {
    case cancel
    case sign(Who, Sheet)

    enum Who: Sendable {
        case known(String)
        case new
    }

    /// The input on the sheet. It counts only at the first authorization of a person for a team.
    struct Sheet: Sendable {
        /// Nil for the account's own name.
        var name: (given: String, family: String)?
        var hidesEmail = false
    }

    /// Returns the person in a field of a page or in the header: `new`, or a name or ID.
    static func who(_ text: String) throws(RegistryError) -> Who {
        guard text.count <= 200, !Person.id(of: text).isEmpty else {
            throw RegistryError(path: "person", "must be new or a name of at most 200 characters")
        }
        return text == "new" ? .new : .known(text)
    }

    /// Reads the headers of a program; nil if it requests the page.
    init?(_ headers: HTTPFields) throws(RegistryError) {
        guard let person = headers[.simulatorPerson] else { return nil }
        guard person != "cancel" else {
            self = .cancel
            return
        }
        var sheet = Sheet(name: headers[.simulatorName].map(Person.split))
        switch headers[.simulatorEmail] {
        case nil, "share": break
        case "hide": sheet.hidesEmail = true
        default: throw RegistryError(path: "Simulator-Email", "must be share or hide")
        }
        self = .sign(try Self.who(person), sheet)
    }

    /// Reads the fields of the sheet's form besides the parameters of the request.
    init(_ form: Form) throws(RegistryError) {
        switch form["simulator_action"] {
        case "cancel": self = .cancel
        case "continue":
            guard let person = form["simulator_person"] else { throw RegistryError(path: "simulator_person", "is missing") }
            var sheet = Sheet()
            if form["simulator_given_name"] != nil || form["simulator_family_name"] != nil {
                sheet.name = (form["simulator_given_name"] ?? "", form["simulator_family_name"] ?? "")
            }
            sheet.hidesEmail = form["simulator_email"] == "hide"
            self = .sign(try Self.who(person), sheet)
        default: throw RegistryError(path: "simulator_action", "must be continue or cancel")
        }
    }
}
