import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// X-Request-Id and X-Runtime.
@Suite struct RequestIDsTests {
  private func id(given: String) -> String {
    let request = Request("GET", "/", fields: [("X-Request-Id", given)])
    return String(decoding: RequestIDs().id(for: request), as: UTF8.self)
  }

  @Test(arguments: [
    ("abc-DEF_019", "abc-DEF_019"), ("a b\u{e9}<c>\";d", "abcd"),
    (String(repeating: "x", count: 300), String(repeating: "x", count: 255)),
  ])
  func `a client's id is kept, as far as it is safe`(_ given: String, _ kept: String) {
    #expect(id(given: given) == kept)
  }

  @Test(arguments: ["", "<>", "\u{e9}"])
  func `an id of which nothing is left is replaced`(_ given: String) {
    #expect(id(given: given).wholeMatch(of: /[0-9a-f]{32}/) != nil)
  }

  @Test func `new ids differ, and those of another start do too`() {
    let first = RequestIDs()
    let second = RequestIDs()
    let ids = (0..<1000).flatMap { _ in [first.next(), second.next()] }
    #expect(Set(ids).count == 2000)
    #expect(ids.allSatisfy { $0.count == 32 })
  }

  @Test func `a refusal of a request under way has another id, and its route stays known`() throws {
    let context = RequestContext()
    context.note { ($0.route, $0.requestID) = ("/x", Array("my-id".utf8)) }
    let response = try APIFixture().application.refuse(
      .serviceUnavailable, "It took too long.", RefusedRequest(head: nil, peer: "192.0.2.1", context: context))
    #expect(context.facts.route.map { "\($0)" } == "/x")
    #expect(response.fields["X-Request-Id"]?.utf8.elementsEqual(context.facts.requestID) == true)
  }
}
