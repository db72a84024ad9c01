import Testing

@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct PathPatternTests {
  private static let like = [
    ("/api/signin", "/api/signin/"), ("/api/signin", "//api//signin.json"), ("/api/*", "/api/signin"),
    ("/photos/*", "/photos//a.b/c"), ("*", ""), ("/", "//"), ("/api/signin.json", "/api/signin.json"),
    ("/notes", "//notes.json/"), ("/notes/7", "/notes/7.json"), ("*abab*c", "/abacababc"), ("", ""),
  ]
  private static let unlike = [
    ("/api/signin", "/api/signin2"), ("/api/*", "/api"), ("/photos/*", "/api/photos/1"),
    ("/photos/a", "/photos/a.json"), ("/API/signin", "/api/signin"), ("", "/"), ("/notes/7", "/notes.d/7.json"),
    ("a*a", "a"), ("*aa*aa", "/aaa"),
  ]

  @Test(arguments: like.map { ($0, true) } + unlike.map { ($0, false) })
  func `a star stands for any characters`(pair: (pattern: String, path: String), matches: Bool) {
    #expect(PathPattern(pair.pattern).matches(Array(pair.path.utf8)[...]) == matches)
  }

  /// What the comparison with every other way to place the stars says, for all short patterns and paths.
  @Test func `it agrees with a plain search`() {
    func words(_ letters: [UInt8], upTo most: Int) -> [[UInt8]] {
      var (words, longest): ([[UInt8]], [[UInt8]]) = ([[]], [[]])
      for _ in 0..<most {
        longest = longest.flatMap { word in letters.map { word + [$0] } }
        words += longest
      }
      return words
    }
    func matches(_ pattern: ArraySlice<UInt8>, _ path: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return path.isEmpty }
      if first == UInt8(ascii: "*") {
        return matches(pattern.dropFirst(), path) || !path.isEmpty && matches(pattern, path.dropFirst())
      }
      return path.first == first && matches(pattern.dropFirst(), path.dropFirst())
    }
    let paths = words(Array("ab".utf8), upTo: 5).map { Array("/".utf8) + $0 }
    for rest in words(Array("ab*".utf8), upTo: 4) {
      let bytes = Array("/".utf8) + rest
      let pattern = PathPattern(String(decoding: bytes, as: UTF8.self))
      for path in paths { #expect(pattern.matches(path[...]) == matches(bytes[...], path[...])) }
    }
  }

  @Test(arguments: [
    "/" + String(repeating: "*a", count: 500) + "b", "*" + String(repeating: "a", count: 3_500) + "b",
    "*" + String(repeating: "a", count: 3_500) + "b*",
  ])
  func `a long pattern is not compared by trying every place of every star`(text: String) {
    // That would take longer than the time limit of the suite, by far.
    let path = Array(("/" + String(repeating: "a", count: 7_000)).utf8)
    #expect(!PathPattern(text).matches(path[...]))
  }
}
