import HTTPMessages
import Testing

@Suite struct ETagTests {
  private static let tag = ETag("ab".utf8)

  private static func request(
    _ fields: [(name: String, value: String)], _ method: String = "GET", version: RequestHead.Version = .http11
  ) -> Request {
    Request(method, "/", fields: fields, version: version)
  }

  @Test(
    arguments: [
      ([#""ab""#], true), ([#"W/"ab""#], true), (["*"], true), ([#""x", "ab""#], true), ([#""x","#, #""ab""#], true),
      ([#""x""#, #"W/"ab" , "y""#], true), ([#""a,b", "ab""#], true), ([#"  "ab"  ,"#], true),
      ([], false), ([""], false), ([",,"], false), (["ab"], false), ([#""abc""#], false), ([#"w/"ab""#], false),
      ([#""x, "ab"#], false), ([#""AB""#], false),
    ])
  func `If-None-Match is a list of all its lines, compared weakly`(_ lines: [String], _ isNamed: Bool) {
    let fields = lines.map { (name: "If-None-Match", value: $0) }
    #expect(Self.tag.isNamed(by: Self.request(fields)) == isNamed)
    #expect(Self.tag.isNamed(by: Self.request(fields, "HEAD")) == isNamed)
    #expect(!Self.tag.isNamed(by: Self.request(fields, "POST")))
  }

  @Test(arguments: [
    "Via", "Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "x-forwarded-host", "X-Real-IP", "CF-Connecting-IP",
    "True-Client-IP",
  ])
  func `a tag is compared as text, but by the rules behind a proxy`(_ proxy: String) {
    for (value, isText) in [(#""ab""#, true), (#"W/"ab""#, false), (#""x", "ab""#, false), ("*", false)] {
      let fields = [(name: "If-None-Match", value: value)]
      #expect(Self.tag.matches(Self.request(fields)) == isText)
      #expect(Self.tag.matches(Self.request(fields + [(proxy, "1.1 proxy")])))
      // Only proxies still send HTTP/1.0.
      #expect(Self.tag.matches(Self.request(fields, version: .http10)))
    }
  }

  @Test func `a weak tag matches as text, and behind a proxy without its weakness`() throws {
    let tag = ETag(weaklyOf: [1, 2, 3])
    let text = String(decoding: tag.bytes, as: UTF8.self)
    #expect(text.hasPrefix("W/\""))
    #expect(tag != ETag(weaklyOf: [1, 2, 4]))
    #expect(tag.matches(Self.request([("If-None-Match", text)])))
    let strong = [(name: "If-None-Match", value: String(text.dropFirst(2)))]
    #expect(!tag.matches(Self.request(strong)))
    #expect(tag.matches(Self.request(strong + [("Via", "1.1 proxy")])))
    let representation = Representation(tag: tag, lastModified: HTTPDate(unixSeconds: 1), byteCount: 1)
    #expect(representation.evaluate(Self.request([("If-Match", text)]), now: 2) == .preconditionFailed)
  }
}
