import HTTPMessages
import Testing

@Suite struct AuthorizationTests {
  @Test(
    arguments: [
      (#"Token token="abc""#, "abc"), ("Token token=abc", "abc"), (#"Token token="abc", nonce="def""#, "abc"),
      (#"Token token="abc",nonce="def""#, "abc"), (#"Token token="abc"; nonce="def""#, "abc"),
      ("Token token=\"abc\"\tnonce=\"def\"", "abc"), ("Token token=\"abc\" \t nonce=\"def\"", "abc"),
      ("Token token=abc, nonce=def", "abc, nonce=def"), (#"Token nonce="def", token="abc""#, "def"),
      ("Token abc", "abc"), (#"Token "abc""#, "abc"), (#"Token foo="abc""#, "abc"), ("Token token='abc'", "'abc'"),
      (#"Token  token="abc""#, "abc"), (#"Token token = "abc""#, #" "abc"#), ("Bearer abc", "abc"),
      (#"Bearer token="abc""#, "abc"), (#"token token="abc""#, "abc"), (#"TOKEN TOKEN="abc""#, "abc"),
      ("Token\ttoken=\"abc\"", "abc"), ("Token token=", "token"), (#"Token token="""#, ""), (#"Token token=" ""#, " "),
      ("Token =", ""), (#"Token ","#, ""), (#"Token "",x"#, ""), (#"Token ""#, ""), ("Token ", ""),
      (#"Token token="%""#, "%"), ("Token token=\"' or ''='\"", "' or ''='"), ("Token token=\"\u{FC}\"", "\u{FC}"),
      ("Token token=a=b", "a=b"), ("Token =abc", "abc"),
    ])
  func `the token is the first pair's value, as in Rails 4.1.5`(header: String, token: String) {
    // A slice of a larger buffer, which must be read by its own bounds.
    let field = Array("xx\(header)xx".utf8).dropFirst(2).dropLast(2)
    #expect(Authorization.parse(field) == .token(Array(token.utf8)[...]))
  }

  @Test(
    arguments: [
      ("Basic YTpi", "YTpi"), ("basic YTpi", "YTpi"), ("BASIC YTpi", "YTpi"), ("Basic  YTpi", "YTpi"),
      ("Basic\tYTpi", "YTpi"), ("Basic !YTpi", "!YTpi"), ("Basic %%%", "%%%"),
    ])
  func `Basic credentials stay encoded`(header: String, encoded: String) {
    #expect(Authorization.parse(Array(header.utf8)[...]) == .basic(encoded: Array(encoded.utf8)[...]))
  }

  @Test(arguments: ["", " ", "Basic", "Token", "abc", "Digest YTpi", "Tokens abc", " Token abc"])
  func `anything else is no credentials`(header: String) {
    #expect(Authorization.parse(Array(header.utf8)[...]) == nil)
  }
}
