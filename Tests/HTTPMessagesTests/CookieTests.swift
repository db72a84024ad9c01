import HTTPMessages
import Testing

@Suite struct CookieTests {
  private static func values(_ field: String) -> [String] {
    Array("x\(field)".utf8)[1...].cookies(named: "id").map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("id=a", ["a"]), ("id=a; id=b", ["a", "b"]), ("other=x; id=a; more=y", ["a"]), ("id=a;id=b;", ["a", "b"]),
      ("  id=a\t;\tid=b  ", ["a", "b"]), ("id=\"a\"", ["a"]), ("$Version=\"1\"; id=\"a\";$Path=\"/\"", ["a"]),
      ("id=\"", ["\""]), ("id=\"\"", [""]), ("id=\"a", ["\"a"]), ("id=a\"", ["a\""]), ("id=a=b", ["a=b"]),
      ("id=", [""]), ("id = a", ["a"]),
      ("id=a b", ["a b"]), ("id=a,id=b", ["a,id=b"]),
    ] as [(String, [String])])
  func `the values are those of the name, in their order`(field: String, values: [String]) {
    #expect(Self.values(field) == values)
  }

  @Test(arguments: [
    "", "id", ";", "=", ";;=;", "ID=a", "xid=a", "id2=a", "i d=a", "=id=a", "x=id=a", "\0id=a", "%69d=a",
  ])
  func `another name is another cookie`(field: String) {
    #expect(Self.values(field) == [])
  }
}
