import HTTPMessages
import Testing

@Suite struct FormParametersTests {
  @Test(
    arguments: [
      ("", [:]), ("a=b", ["a": .string("b")]), ("a", ["a": .null]), ("a=", ["a": .string("")]), ("=b", [:]), ("=", [:]),
      ("&&", [:]), (";", [";": .null]), ("a=1&a=2", ["a": .string("2")]),
      ("a=b; email=c&d=;", ["a": .string("b; email=c"), "d": .string(";")]),
      ("a=b&  c=d", ["a": .string("b"), "c": .string("d")]), ("a=b&%20c=d", ["a": .string("b"), " c": .string("d")]),
      ("a=b=c", ["a": .string("b=c")]), ("full_name=Jo+Ann%20Smith", ["full_name": .string("Jo Ann Smith")]),
      ("email=gt-1%40example.com", ["email": .string("gt-1@example.com")]), ("a%3D=%26%3b", ["a=": .string("&;")]),
      ("a=%00", ["a": .string("\0")]), ("a=%C3%BC", ["a": .string("ü")]), ("a=ü", ["a": .string("ü")]),
      ("{\"a\":1}", ["{\"a\":1}": .null]),
      // Refused, as by Ruby.
      ("a=%", nil), ("a=%4", nil), ("a=%zz", nil), ("%=b", nil), ("a=100%&b=c", nil), ("a=%FF", nil), ("%C3=b", nil),
    ] as [(String, [String: ParameterValue]?)])
  func `Pairs, escapes and separators`(query: String, expected: [String: ParameterValue]?) {
    #expect((try? FormParameters.parse(query: Array(query.utf8)[...])) == expected)
  }

  /// Requests of the original's time may have them; what is stored is what was sent.
  @Test(
    arguments: [
      ("a=1;b=2", ["a": .string("1"), "b": .string("2")]), ("a=1; b=2;", ["a": .string("1"), "b": .string("2")]),
      ("c=1;a=2&b=3", ["a": .string("2"), "b": .string("3"), "c": .string("1")]),
      // Nothing is missing.
      ("a=1;c=3&b=2", ["a": .string("1;c=3"), "b": .string("2")]),
      // A piece would be lost, or something is missing all the same.
      ("a=1;x;b=2", ["a": .string("1;x;b=2")]), ("a=1;c=2", ["a": .string("1;c=2")]),
      ("a=1;b=%", nil),
    ] as [(String, [String: ParameterValue]?)])
  func `semicolons separate only what would be refused otherwise`(query: String, expected: [String: ParameterValue]?) {
    #expect((try? FormParameters.parse(query: Array(query.utf8)[...], requiring: ["a", "b"])) == expected)
  }

  @Test(
    arguments: [
      ("email[]=x", ["email": .array([.string("x")])]), ("email[]", ["email": .array([.null])]),
      ("a[]=1&a[]=2", ["a": .array([.string("1"), .string("2")])]),
      ("email[a]=b", ["email": .object(["a": .string("b")])]),
      ("note[title]=t&note[body]=b", ["note": .object(["title": .string("t"), "body": .string("b")])]),
      ("a[b][c]=d", ["a": .object(["b": .object(["c": .string("d")])])]),
      ("a[b][]=d", ["a": .object(["b": .array([.string("d")])])]),
      (
        "a[][b]=1&a[][c]=2&a[][b]=3",
        [
          "a": .array([
            .object(["b": .string("1"), "c": .string("2")]), .object(["b": .string("3")]),
          ])
        ]
      ),
      ("a[]b=1", ["a": .array([.object(["b": .string("1")])])]),
      ("a[][b][c]=1", ["a": .array([.object(["b": .object(["c": .string("1")])])])]),
      ("a[][=1", ["a": .array([.null])]), ("a[=1", ["a": .null]), ("[]=1", [:]), ("[a]=1", ["a": .string("1")]),
      ("a]]=1", ["a": .string("1")]), ("a&a[]=1", ["a": .array([.string("1")])]), ("a[b]=1&a[b][c]=x&a=3", nil),
      // A line end is a character like any other.
      ("a[b\nc]=1", ["a": .object(["b\nc": .string("1")])]),
      ("a[]\n=1", ["a": .array([.object(["\n": .string("1")])])]),
      ("a[][b\n]=1", ["a": .array([.object(["b\n": .string("1")])])]),
      ("a[b]\n[][c]=1", ["a": .object(["b": .object(["\n": .array([.object(["c": .string("1")])])])])]),
      ("a[][=1&a[][b]=2&a[][=3", ["a": .array([.null, .object(["b": .string("2")])])]), ("a=1&a[]=2", nil),
      ("a=1&a[b]=2", nil), ("a[]=1&a[b]=2", nil), ("a[b]=1&a[]=2", nil),
    ] as [(String, [String: ParameterValue]?)])
  func `names nest as in rack`(query: String, expected: [String: ParameterValue]?) {
    #expect((try? FormParameters.parse(query: Array(query.utf8)[...])) == expected)
  }

  @Test(
    arguments: [
      ("a=1&b=%", 6, "the parameter \"b\" has at byte 6 a % without two hexadecimal digits"),
      ("a%4=1", 1, "a parameter has at byte 1 a %"), ("%=1", 0, "a parameter has"),
      ("a=%41%FFx", 5, "the parameter \"a\" has at byte 5 a byte that is not UTF-8"), ("a=é%C3", 4, "byte 4"),
      ("a=%C3é", 2, "byte 2"), ("x=1&  n[b]=%E2%82", 11, "the parameter \"n[b]\" has at byte 11"),
      ("100%", 3, "a parameter has at byte 3"),
      ("\(String(repeating: "k", count: 24))=%", 25, "a parameter has at byte 25"),
      ("a=1&b=2&a[]=3", 8, nil), ("a=1&\(String(repeating: "[b]", count: 34))=1", 4, nil),
    ] as [(String, Int, String?)])
  func `an error has its place, and names the parameter`(query: String, offset: Int, detail: String?) {
    for before in ["", "GET /?"] {
      let bytes = Array((before + query).utf8)
      let error = #expect(throws: ParameterError.self) {
        try FormParameters.parse(query: bytes.dropFirst(before.utf8.count))
      }
      #expect(error?.offset == offset)
      #expect(detail.map { error?.detail?.contains($0) == true } ?? (error?.detail == nil), "\(error?.detail ?? "")")
    }
  }

  @Test func `a NUL at the end of a body is dropped, of a query kept`() throws {
    let bytes = Array("a=b\0".utf8)[...]
    #expect(try FormParameters.parse(body: bytes) == ["a": .string("b")])
    #expect(try FormParameters.parse(query: bytes) == ["a": .string("b\0")])
  }

  @Test func `1,024 pairs and 32 levels of nesting, no more`() throws {
    func pairs(_ count: Int) -> [UInt8] { Array((0..<count).map { "p\($0)=" }.joined(separator: "&").utf8) }
    #expect(try FormParameters.parse(query: pairs(1_024)[...]).count == 1_024)
    #expect(throws: ParameterError.self) { try FormParameters.parse(query: pairs(1_025)[...]) }

    func nested(_ depth: Int) -> [UInt8] { Array(("a" + String(repeating: "[b]", count: depth) + "=1").utf8) }
    #expect(try FormParameters.parse(query: nested(32)[...]).count == 1)
    #expect(throws: ParameterError.self) { try FormParameters.parse(query: nested(33)[...]) }
    let hostile = Array((String(repeating: "a[]", count: 5_000) + "=1").utf8)
    #expect(throws: ParameterError.self) { try FormParameters.parse(query: hostile[...]) }
  }

  @Test func `all names together have 4,096 levels, no more`() throws {
    func names(levels: Int) -> [UInt8] {
      let full = (0..<(levels / 32)).map { "p\($0)" + String(repeating: "[b]", count: 31) + "=1" }
      return Array((full + ["q" + String(repeating: "[b]", count: levels % 32) + "=1"]).joined(separator: "&").utf8)
    }
    #expect(try FormParameters.parse(query: names(levels: 4_095)[...]).count == 128)
    #expect(throws: ParameterError.self) { try FormParameters.parse(query: names(levels: 4_096)[...]) }
  }
}
