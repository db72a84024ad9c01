/// Header fields (RFC 9112 §5), and the fields that steer a connection.
let fieldLines: [WireCases] = [
  .field(
    .served(["get /"]),
    // RFC 9110 §5.5
    "X:", "X: a\tb  c", "X: \u{80}\u{ff}", "X: a: b; c=\"d\", e", "Cookie: a=b; c",
    // RFC 9112 §5: no white space needed
    "X:y",
    // RFC 9112 §5.1: OWS
    "X: \t  y \t ",
    // RFC 9110 §5.1
    "!#$%&'*+-.^_`|~0: y", "Content_Length: 5",
    // RFC 9110 §5.2: repeated fields
    "X: y\r\nX: y\r\nx: y",
    // RFC 9112 §9.3
    "Connection: keep-alive", "Connection: closed", "Connection:", "Keep-Alive: timeout=0",
    // RFC 9110 §7.6.1: no field of ours is hop-by-hop
    "Connection: Host",
    // RFC 9110 §7.8: may be ignored
    "Connection: Upgrade\r\nUpgrade: websocket",
    // RFC 9113 §3.1
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA",
    // RFC 9110 §10.1.4
    "TE: trailers",
    // RFC 9110 §10.1.1: no body, so it is ignored
    "Expect: 100-continue", "Expect: 100-continue, 100-continue", "Expect: 100-continue\r\nExpect: 100-continue",
    // RFC 9110 §5.6.1.2: empty list elements
    "Expect:", "Expect: ,", "Expect: 100-continue,", "Expect: , 100-continue"),
  .field(
    .refused(400),
    // RFC 9112 §5
    "X", "X y", "X;y", ":", ": y", " : y", "GET / HTTP/1.1",
    // RFC 9112 §5.1: no white space before the colon
    "X : y", "X\t: y", "X  \t : y",
    // RFC 9112 §5.2: obs-fold
    " X: y", "\tX: y", "X: y\r\n z", "X: y\r\n\tz", "X: y\r\n ", "X:\r\n y",
    // RFC 9112 §2.2
    "X: y\nZ: z", "X: y\rZ: z", "X: y\r", "X: y\r\r\nZ: z", "X\r: y", "\r: y", "\rContent-Length: 5",
    // RFC 9110 §5.1: a token
    "X\u{a0}: y",
    // RFC 9110 §5.3: no list
    "Content-Type: a/b\r\nContent-Type: c/d", "Content-Type: a/b\r\nX: y\r\ncontent-type: a/c",
    "Content-Type: a/b\r\nContent-Type:"),
  .field(
    .servedLast(["get /"]),
    // RFC 9112 §9.6
    "Connection: close",
    // RFC 9110 §7.6.1: no case
    "CONNECTION:CLOSE",
    // RFC 9112 §9.3: close wins
    "Connection: keep-alive, close", "Connection: close\r\nConnection: keep-alive",
    // RFC 9110 §5.6.1: empty list elements
    "Connection: x\r\nConnection: ,close,"),
  .raw(
    .servedLast(["get /"]),
    // RFC 9112 §9.3: no version 1.0 persists unless asked
    "GET / HTTP/1.0\r\nConnection: keepalive\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: x\r\nConnection: close\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n"),
  .raw(
    .served(["get /"]),
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET / HTTP/1.0\r\nConnection: x , Keep-Alive\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: x\r\nConnection: keep-alive\r\n\r\n"),
  .field(
    .refused(417),
    // RFC 9110 §10.1.1
    "Expect: 100-continued", "Expect: 200-ok", "Expect: 100-continue, 200-ok", "Expect: 100-continue\r\nExpect: x",
    "Expect: \"100-continue\"", "Expect: 100-continue 100-continue", "Expect: 100-continue;a=b"),
  // Every byte that a name or a value must not hold.
  .fields(.refused(400), (controls + [0x7f]).map { "X: a\(UnicodeScalar($0))b" }),
  .fields(
    .refused(400),
    (controls + [0x09, 0x7f] + Array(" \"(),/;<=>?@[\\]{}".utf8)).map { "X\(UnicodeScalar($0))Y: a" }),
]

/// Without tab, LF and CR, which have rows of their own.
private let controls: [UInt8] = (0...0x1f).filter { ![0x09, 0x0a, 0x0d].contains($0) }
