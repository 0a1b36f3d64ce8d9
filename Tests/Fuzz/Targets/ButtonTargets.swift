import Fuzzing
import Web

@testable import AppleButton

extension FuzzTarget {
    static let button: [FuzzTarget] = [
        FuzzTarget(
            text: "button-query",
            seeds: [
                "", "height=64&width=375&color=white&border=true&type=sign-up&border_radius=50&locale=iw_IL", "scale=6", "scale=6&scale=6",
                "height=29", "locale=ko_%E2%84%AAR", "color=black%E2%80%8D", "heigh%D8%80t=30", "type=continue%CC%81&border_radius=0",
            ]
        ) { text in
            do {
                let query = try ButtonQuery(text, hasScale: true)
                try hold(AppleButton.heights.contains(query.button.height), "another height")
                try hold(AppleButton.widths.contains(query.button.width), "another width")
                try hold(AppleButton.cornerRadii.contains(query.button.cornerRadius), "another radius")
                try hold(AppleButton.scales.contains(query.scale), "another scale")
            } catch let problem as Problem {
                try hold(problem.code == .invalid && !problem.detail.isEmpty, "\(problem.code)")
                try hold(problem.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error contains a control character")
            }
        }
    ]
}
