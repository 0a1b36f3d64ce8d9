/// A pattern that inverts modules of the data, so that large areas of one color break up (ISO/IEC 18004:2015, table 10).
enum Mask: Int, CaseIterable {
    case checkerboard, rows, columns, diagonals, blocks, crosses, flowers, waves

    func inverts(x: Int, y: Int) -> Bool {
        switch self {
        case .checkerboard: (x + y) % 2 == 0
        case .rows: y % 2 == 0
        case .columns: x % 3 == 0
        case .diagonals: (x + y) % 3 == 0
        case .blocks: (x / 3 + y / 2) % 2 == 0
        case .crosses: x * y % 2 + x * y % 3 == 0
        case .flowers: (x * y % 2 + x * y % 3) % 2 == 0
        case .waves: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }
}
