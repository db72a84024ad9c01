import SelfieAPI
import Testing

@Suite struct AllowedOriginsTests {
  @Test(arguments: [
    ("*", AllowedOrigins.all), (" * ", .all),
    ("https://app.example", .some(["https://app.example"])),
    ("https://App.Example:443, http://localhost:5173", .some(["https://app.example", "http://localhost:5173"])),
    ("http://a:80,https://a:8443", .some(["http://a", "https://a:8443"])),
    ("http://[::1]:8080", .some(["http://[::1]:8080"])), ("capacitor://localhost", .some(["capacitor://localhost"])),
  ])
  func `origins are read as browsers write them`(_ text: String, _ origins: AllowedOrigins) {
    #expect(AllowedOrigins(text) == origins)
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
