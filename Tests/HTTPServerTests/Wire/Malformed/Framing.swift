/// How long a body is (RFC 9112 §6): where two readers who disagree can be made to see different requests.
let contentLengths: [WireCases] = [
  .post(
    .served(["post /"]), body: "hello",
    // RFC 9112 §6.2
    "Content-Length: 5",
    // RFC 9112 §5.1: OWS
    "Content-Length:5", "content-length: \t5 \t",
    // RFC 9110 §8.6: digits
    "Content-Length: 0005"),
  .post(
    .served(["post /"]), body: "",
    // RFC 9112 §6.2
    "Content-Length: 0",
    // RFC 9112 §6.3: no length, no body
    "X: y"),
  // RFC 9110 §9.3.1: a GET with a body
  .raw(.served(["get /"]), "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"),
  // RFC 9110 §9.3.5
  .raw(.served(["delete /"]), "DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"),
  // RFC 9112 §6.2
  .raw(.servedLast(["post /"]), "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello"),
  .post(
    .refused(400), body: "hello",
    // RFC 9110 §8.6
    "Content-Length:", "Content-Length: +5", "Content-Length: -5", "Content-Length: -0", "Content-Length: 0x5",
    "Content-Length: 5h", "Content-Length: 5.0", "Content-Length: 5e0", "Content-Length: 0b101", "Content-Length: 1_0",
    "Content-Length: 5 5", "Content-Length: 5;x", "Content-Length: \"5\"", "Content-Length: five",
    "Content-Length: NaN", "Content-Length: \u{b2}",
    // RFC 9110 §5.5
    "Content-Length: 5\u{0}", "Content-Length: 5\u{b}",
    // RFC 9112 §5.2: obs-fold
    "Content-Length: 5\r\n 5", "Content-Length:\r\n 5", " Content-Length: 5",
    // RFC 9112 §5.1: no white space before the colon
    "Content-Length : 5",
    // RFC 9112 §2.2: bare CR
    "Content-Length: 5\rX: y",
    // RFC 9112 §6.3
    "Content-Length: 9223372036854775808", "Content-Length: 18446744073709551621",
    "Content-Length: 4294967301000000000000000000", "Content-Length: 5, 5", "Content-Length: 5, 6",
    "Content-Length: 5,", "Content-Length: ,5", "Content-Length: 5\r\nContent-Length: 5",
    "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 6\r\nContent-Length: 5",
    "Content-Length: 5\r\nX: y\r\ncontent-length: 0", "Content-Length: 5\r\nContent-Length:",
    "Content-Length: \r\nContent-Length: 5"),
  .raw(
    .refused(400),
    // RFC 9112 §6.3
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    "POST / HTTP/1.0\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
]

/// Codings of bodies (RFC 9112 §6.1), also together with a length.
let transferEncodings: [WireCases] = [
  .post(
    .served(["post /"]), body: "0\r\n\r\n",
    // RFC 9112 §6.1
    "Transfer-Encoding: chunked",
    // RFC 9112 §7: no case
    "transfer-encoding:CHUNKED",
    // RFC 9112 §5.1: OWS
    "Transfer-Encoding: \t chunked \t"),
  // RFC 9110 §9.3.1
  .raw(.served(["get /"]), "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"),
  .post(
    .refused(501), body: "hello",
    // RFC 9112 §6.1
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity, chunked", "Transfer-Encoding: x, y, Chunked",
    "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
    // RFC 9110 §5.6.1: empty elements, which not every parser skips
    "Transfer-Encoding: chunked,", "Transfer-Encoding: ,chunked", "Transfer-Encoding: chunked\r\ntransfer-encoding:"),
  .post(
    .refused(400), body: "hello",
    // RFC 9112 §6.3: chunked is not last
    "Transfer-Encoding:", "Transfer-Encoding: ,", "Transfer-Encoding: identity", "Transfer-Encoding: gzip",
    "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: gzip, chunked, x",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: x", "Transfer-Encoding: \"chunked\"",
    "Transfer-Encoding: 'chunked'", "Transfer-Encoding: \"x, chunked\"", "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked x", "Transfer-Encoding: chunke", "Transfer-Encoding: cow",
    "Transfer-Encoding: chun\u{eb}ed",
    // RFC 9112 §7.1: twice
    "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked, gzip, chunked",
    // RFC 9112 §7.1: chunked has no parameters
    "Transfer-Encoding: chunked;q=1",
    // RFC 9112 §5.1: NBSP is not OWS
    "Transfer-Encoding: \u{a0}chunked"),
  .post(
    .refused(400), body: "hello",
    // RFC 9112 §5.1: TE.TE
    "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked",
    // RFC 9112 §5.2: TE.TE
    " Transfer-Encoding: chunked", "X: y\r\n Transfer-Encoding: chunked", "Transfer-Encoding:\r\n chunked",
    // RFC 9112 §2.2: TE.TE
    "X: y\nTransfer-Encoding: chunked", "X: y\rTransfer-Encoding: chunked",
    // RFC 9110 §5.5: TE.TE
    "Transfer-Encoding: \u{b}chunked", "Transfer-Encoding: chunked\u{0}",
    // RFC 9110 §5.1: TE.TE
    "Transfer-Encoding\u{0}: chunked",
    // RFC 9112 §5: a colon is needed
    "Transfer-Encoding",
    // RFC 9112 §6.1
    "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Transfer-Encoding: chunked\r\nContent-Length: 0", "Content-Length: 0\r\nTransfer-Encoding: chunked",
    "Content-Length: 5\r\nTransfer-Encoding: identity", "Content-Length: 5\r\nTransfer-Encoding:",
    "Content-Length: x\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nTransfer-Encoding: x"),
  .raw(
    .refused(400),
    // RFC 9112 §6.1
    "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.0\r\nTransfer-Encoding: gzip\r\n\r\nhello"),
  // RFC 9112 §6.2: a body
  .post(.served(["post /"]), body: "GET /smuggled HTTP/1.1\r\nX: y\r\n", "Content-Length: 30"),
  .post(
    .served(["post /"]), body: "1e\r\nGET /smuggled HTTP/1.1\r\nX: y\r\n\r\n0\r\n\r\n",
    // RFC 9112 §7.1
    "Transfer-Encoding: chunked"),
  // RFC 9112 §9.3.2
  .post(.served(["post /", "get /2"]), body: "helloGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", "Content-Length: 5"),
  // RFC 9112 §2.2
  .post(.served(["post /", "get /2"]), body: "hello\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", "Content-Length: 5"),
]
