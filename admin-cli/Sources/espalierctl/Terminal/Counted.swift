/// A number with its unit, as in `1 row` and `2 rows`.
/// - Parameter number: in digits, as it was received.
func counted(_ number: String, _ unit: String) -> String {
    "\(number) \(unit)\(number == "1" ? "" : "s")"
}
