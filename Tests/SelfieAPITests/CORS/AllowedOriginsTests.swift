import Testing

@testable import SelfieAPI

@Suite struct AllowedOriginsTests {
  @Test(arguments: [
    ("*", ["*"]), (" * ", ["*"]), ("https://app.example", ["https://app.example"]),
    ("https://App.Example:443, http://localhost:5173", ["https://app.example", "http://localhost:5173"]),
    ("http://a:80,https://a:8443", ["http://a", "https://a:8443"]),
    ("http://[::1]:8080", ["http://[::1]:8080"]), ("capacitor://localhost", ["capacitor://localhost"]),
  ])
  func `origins are read as browsers write them`(_ text: String, _ origins: [String]) {
    #expect(AllowedOrigins(text)?.origins == origins)
  }

  @Test(arguments: [
    "", ",", "app.example", "https://", "https://app.example/", "https://app.example/path", "https://a?b", "null",
    "https://a,*", "*,*", "https://*.example", "https://a,,https://b", "https://user@a", "1a://b",
    "https://a b\r\nX: y",
  ])
  func `what no browser could send as an origin is refused`(_ text: String) {
    #expect(AllowedOrigins(text) == nil)
  }
}
