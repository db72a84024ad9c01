/// Request lines, and what may stand before them (RFC 9112 §2 and §3).
let requestLines: [WireCases] = [
  .line(
    .served(["get /"]),
    // RFC 9112 §3
    "GET / HTTP/1.1",
    // RFC 9112 §2.3
    "GET / HTTP/1.1",
    // RFC 9110 §2.5: a later minor version is compatible
    "GET / HTTP/1.2", "GET / HTTP/1.9"),
  .line(
    .served(["other /"]),
    // RFC 9110 §9.1
    "get / HTTP/1.1", "PROPFIND / HTTP/1.1",
    // RFC 9110 §5.6.2: tchar
    "!#$%&'*+-.^_`|~0 / HTTP/1.1", "\(many("A", 20)) / HTTP/1.1"),
  .line(
    .refused(501),
    // RFC 9112 §3: longer than any method
    "\(many("A", 21)) / HTTP/1.1", "\(many("GET", 13)) / HTTP/1.1", "\(many("A", 9_000)) / HTTP/1.1", many("A", 9_000)),
  // RFC 9110 §9.3.8: the service refuses it, or not
  .line(.served(["trace /"]), "TRACE / HTTP/1.1"),
  .line(
    .refused(400),
    // RFC 9112 §3.1: a method is needed
    " / HTTP/1.1", "/ HTTP/1.1",
    // RFC 9112 §3
    " GET / HTTP/1.1", "\tGET / HTTP/1.1", "G ET / HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET\t/ HTTP/1.1",
    "GET /\tHTTP/1.1", "GET\u{b}/ HTTP/1.1", "GET /\u{c}HTTP/1.1", "GET\u{a0}/ HTTP/1.1", "GET / HTTP/1.1 ",
    "GET / HTTP/1.1\t", "GET / HTTP/1.1 HTTP/1.1", "GET", "GET ", "GET / ", "GET HTTP/1.1",
    // RFC 9110 §5.6.2
    "GE\tT / HTTP/1.1", "G\u{0}ET / HTTP/1.1", "GET: / HTTP/1.1", "GET/ / HTTP/1.1", "\"GET\" / HTTP/1.1",
    "{GET} / HTTP/1.1", "G\u{e9}T / HTTP/1.1", "\u{ef}\u{bb}\u{bf}GET / HTTP/1.1", "\u{7f}GET / HTTP/1.1",
    // RFC 9112 §3.2.3: authority-form is CONNECT's
    "connect a:443 HTTP/1.1",
    // RFC 9112 §3.2: no white space in the target
    "GET / /x HTTP/1.1",
    // RFC 9112 §2.2: bare CR
    "GET /\r HTTP/1.1", "GET /\rHost: b HTTP/1.1", "GET / HTTP/1.1\r",
    // RFC 9112 §2.3
    "GET /", "GET / HTTP/2", "GET / HTTP/1", "GET / HTTP/1.", "GET / HTTP/.1", "GET / HTTP/11", "GET / HTTP/1.1.1",
    "GET / HTTP/1.11", "GET / HTTP/01.1", "GET / HTTP/1.x", "GET / HTTP/1,1", "GET / HTTP/-1.1", "GET / HTTP/ 1.1",
    "GET / HTTP /1.1", "GET / http/1.1", "GET / Http/1.1", "GET / HTP/1.1", "GET / HTTPS/1.1", "GET / RTSP/1.0",
    "GET / HTTP1.1", "GET / HTTP\\1.1", "GET / HTTP/1\u{0}1", "GET / HTTP/\u{b9}.1"),
  .line(
    .refused(501),
    // RFC 9110 §9.3.6: no tunnels here
    "CONNECT a:443 HTTP/1.1", "CONNECT / HTTP/1.1", "CONNECT http://a/ HTTP/1.1", "CONNECT a:443 HTTP/1.0"),
  // RFC 9112 §9.3: 1.0 does not persist by itself
  .line(.servedLast(["get /"]), "GET / HTTP/1.0"),
  .line(
    .refused(505),
    // RFC 9110 §15.6.6
    "GET / HTTP/0.9", "GET / HTTP/2.0", "GET / HTTP/3.0", "GET / HTTP/0.0"),
  // RFC 9113 §3.4: the preface of HTTP/2
  .raw(.refused(505), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  .raw(
    .refused(400),
    // RFC 8446 §5.1: a TLS client
    "\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}\u{0}\u{0}\u{1}\r\n\r\n",
    // RFC 9112 §3
    "\u{0}\u{0}\u{0}\r\n\r\n", "HELO a\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "{\"method\":\"GET\"}\r\n\r\n", "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "SSH-2.0-Go\r\n", "EHLO a\r\n", "USER a b\r\n",
    "OPTIONS sip:a SIP/2.0\r\n\r\n",
    // SOCKS 4 and 5
    "\u{4}\u{1}\u{0}P\u{7f}\u{0}\u{0}\u{1}\u{0}", "\u{5}\u{1}\u{0}",
    // RFC 9112 §2.2
    "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    " \r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
    "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n", "GET / HTTP/1.1\rHost: a\r\r\r\n\r\n"),
  .raw(
    .served(["get /"]),
    // RFC 9112 §2.2
    "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\n\n\r\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
]

/// Lines and heads at their limits, and beyond.
let sizes: [WireCases] = [
  // 8 KiB of request line
  .line(.served(["get /" + many("a", 8_178)]), "GET /\(many("a", 8_178)) HTTP/1.1"),
  .line(
    .refused(414),
    // RFC 9112 §3
    "GET /\(many("a", 8_179)) HTTP/1.1", "GET /?\(many("a", 100_000)) HTTP/1.1"),
  // RFC 9112 §3: a line without end
  .raw(.refused(414), "GET /" + many("a", 40_000)), .raw(.refused(501), many("A", 40_000)),
  .field(
    .served(["get /"]),
    // 32 KiB of head
    "X: \(many("x", 30_000))",
    // a hundred fields
    many("X: y\r\n", 98) + "X: y"),
  .field(
    .refused(431),
    // RFC 6585 §5
    "X: \(many("x", 33_000))", "\(many("x", 33_000)): x", many("X: 0123456789\r\n", 99) + "X: \(many("x", 33_000))",
    many("X: y\r\n", 99) + "X: y", many("X: y\r\n", 3_000) + "X: y"),
  // RFC 6585 §5: a field without end
  .raw(.refused(431), "GET / HTTP/1.1\r\nHost: a\r\nX: \(many("x", 40_000))"),
]

func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
