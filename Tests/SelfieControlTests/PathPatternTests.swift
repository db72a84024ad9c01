import Testing

@testable import SelfieControl

@Suite struct PathPatternTests {
  @Test(arguments: [
    ("/api/signin", "/api/signin"), ("/api/signin", "/api/signin/"), ("/api/signin", "//api//signin.json"),
    ("/api/*", "/api/signin"), ("/api/*", "/api/"), ("/photos/*", "/photos/abc"), ("/photos/*", "/photos//a.b/c"),
    ("*", ""), ("*", "*"), ("/*", "/"), ("/", "/"), ("/", "//"), ("/a*b*c", "/abc"), ("/a*b*c", "/a1b2b3c"),
    ("/api/*_photo*", "/api/upload_photo"), ("/api/signin.json", "/api/signin.json"), ("/**x", "/x"),
  ])
  func `matches`(pattern: String, path: String) {
    #expect(PathPattern(pattern).matches(Array(path.utf8)[...]))
  }

  @Test(arguments: [
    ("/api/signin", "/api/signup"), ("/api/signin", "/api/signin2"), ("/api/signin", "/api"), ("/api/signin", ""),
    ("/api/*", "/api"), ("/photos/*", "/api/photos/1"), ("/a*b*c", "/abcd"), ("/a*b*c", "/acb"), ("/*x", "/"),
    ("/photos/a", "/photos/a.json"), ("/API/signin", "/api/signin"),
  ])
  func `does not match`(pattern: String, path: String) {
    #expect(!PathPattern(pattern).matches(Array(path.utf8)[...]))
  }

  @Test func `a pattern of many stars is compared quickly`() {
    let pattern = PathPattern("/" + String(repeating: "*a", count: 500) + "b")
    let start = ContinuousClock.now
    #expect(!pattern.matches(Array(("/" + String(repeating: "a", count: 8_000)).utf8)[...]))
    #expect(ContinuousClock.now - start < .seconds(5))
  }
}
