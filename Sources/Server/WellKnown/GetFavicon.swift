import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Web

extension WellKnown {
    /// The icon that browsers request from every host: an espaliered tree.
    @Sendable
    func getFavicon(_ request: Request, _ context: WebContext) async throws -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "image/vnd.microsoft.icon", .contentLength: "\(Self.icon.count)", .cacheControl: "public, max-age=86400",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: Self.icon)))
    }

    /// An ICO file that contains a PNG of 32 by 32 pixels. A test checks that the constant decodes.
    private static let icon = Data(
        base64Encoded: """
            AAABAAEAICAAAAEAIAD3AAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAL5JREFUeNrtl1EOgzAMQ7nfvnMNLrQb+JKdJgHq\
            IgpxcbtuopL/WueJxhCm6V4X1uM521vfLJ4WWctCWIogClA6UwuQLgCkvwL4gCgB5MVVAHAQjKBuxP7FHYTXVsxLkfFDo+h7IIOyqkcuAOCvZCiA0sEI\
            QMQn2vVgm3DPo2f+NZEUQYCNnxF7qc/xoT9rKN8/GgAaAIABWKNlJ9oMT+Sb2XpEry4VjSFAxVF4BfrxvdtYfgMMC5CPWz/9g/sC8rbl4dyAucoAAAAA\
            SUVORK5CYII=
            """)!
}
