import Testing

@testable import ObjectStorage

@Suite struct `An error's code` {
  @Test(arguments: [
    ("<Error><Code>NoSuchKey</Code><Message>x</Message></Error>", "NoSuchKey"),
    ("<?xml version=\"1.0\"?>\n<Error>\n  <Code>Slow.Down2</Code>", "Slow.Down2"),
    ("<Code>First</Code><Code>Second</Code>", "First"),
  ])
  func `is found`(body: String, code: String) {
    #expect(ClientResponse(body: Array(body.utf8)).errorCode == code)
  }

  @Test(arguments: [
    "", "<html>503</html>", "<Code>", "<Code></Code>", "<Code>NoSuchKey", "<Code>No such key</Code>",
    "<Code>a\u{1b}[0m</Code>", "<Code>\(String(repeating: "a", count: 65))</Code>",
  ])
  func `is a word or nothing`(body: String) {
    #expect(ClientResponse(body: Array(body.utf8)).errorCode == nil)
  }
}
