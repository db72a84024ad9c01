import HTTPMessages
import Testing

@Suite struct ResponseTests {
  @Test(arguments: [(200, "OK"), (304, "Not Modified"), (503, "Service Unavailable"), (502, "Bad Gateway"), (418, "")])
  func `a status of any code`(code: Int, reason: String) {
    #expect(Status(code: code).code == code)
    #expect(Status(code: code).reason.description == reason)
  }
}
