import Testing

@testable import SelfieServerCommands

@Suite struct ListenAddressTests {
  @Test(arguments: [
    ("127.0.0.1:9464", "127.0.0.1", 9464), ("localhost:0", "localhost", 0), ("[::1]:65535", "::1", 65535),
    ("[::]:1", "::", 1),
  ])
  func `is a host and a port`(text: String, host: String, port: Int) {
    let address = ListenAddress(text)
    #expect(address?.host == host)
    #expect(address?.port == port)
    #expect(address?.description == text)
  }

  @Test(arguments: [
    "", ":", "9464", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:-1",
    "127.0.0.1: 1", "::1:9464", "[]:1", "[::1]", "[127.0.0.1]:1", "127.0.0.1:99999999999999999999",
    "http://127.0.0.1:9464",
  ])
  func `is nothing else`(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
