/// Apple's logo, in its proportions. Apple requires it on this button and permits it nowhere else.
enum AppleLogo {
    static let width = 814
    static let height = 1000

    /// The data of an SVG path. The body starts at the upper end of the bite and runs counterclockwise, and the leaf comes last.
    static let path = """
        M788 341c-64 41-108 106-108 190 0 111 75 177 134 202-27 81-124 267-224 267-68 0-87-40-164-40-77 0-104 40-166 40-108 0-260-220-260-458 \
        0-195 127-298 251-298 66 0 121 44 162 44 40 0 101-46 177-46 60 0 143 20 198 99z\
        m-234-182c32-38 53-89 53-139 0-7 0-14-2-20-50 2-110 34-147 76-28 32-55 83-55 135 0 7 1 15 2 18 50 7 112-25 149-70z
        """
}
