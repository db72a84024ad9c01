import HTTPMessages
import Testing

@testable import SelfieAPI

/// W3C Trace Context §3.2.
@Suite struct TraceParentTests {
  private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let valid = "00-\(id)-00f067aa0ba902b7-01"

  private func traceID(_ fields: [String]) -> String {
    let request = Request("GET", "/", fields: fields.map { (name: "Traceparent", value: $0) })
    return String(decoding: request.traceID, as: UTF8.self)
  }

  @Test(arguments: [
    valid, "00-\(id)-00f067aa0ba902b7-ff", "01-\(id)-00f067aa0ba902b7-01",
    "cc-\(id)-00f067aa0ba902b7-01-what",
    "01-\(id)-00f067aa0ba902b7-01-",
  ])
  func `a valid one has a trace`(field: String) {
    #expect(traceID([field]) == Self.id)
  }

  @Test(arguments: [
    "", "00", "x", "00-\(id)-00f067aa0ba902b7", "00-\(id)-00f067aa0ba902b7-1",
    "ff-\(id)-00f067aa0ba902b7-01",
    "00-\(id)-00f067aa0ba902b7-01-", "00-\(id)-00f067aa0ba902b7-01-x", "01-\(id)-00f067aa0ba902b7-01x",
    "00-\(id.uppercased())-00f067aa0ba902b7-01", "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01",
    "00-\(id)-0000000000000000-01", "0g-\(id)-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b7-0g",
    "00_\(id)_00f067aa0ba902b7_01", "00-\(id.dropLast())--00f067aa0ba902b7-01", " \(valid.dropLast())",
    "00-4bf92f3577b34da6a3ce929d0e0e473\"-00f067aa0ba902b7-01", String(repeating: "-", count: 60_000),
  ])
  func `any other has none`(field: String) {
    #expect(traceID([field]) == "")
  }

  @Test func `nor have two, or none`() {
    #expect(traceID([Self.valid, Self.valid]) == "")
    #expect(traceID([]) == "")
  }
}
