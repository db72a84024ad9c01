/// Bodies with the chunked coding (RFC 9112 §7.1).
let chunks: [WireCases] = [
  .chunks(
    .served(["post /"]),
    // RFC 9112 §7.1
    "5\r\nhello\r\n0\r\n\r\n", "005\r\nhello\r\n000\r\n\r\n", "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
    "2\r\n\r\n\r\n0\r\n\r\n",
    // RFC 9112 §7.1.1
    "5;a\r\nhello\r\n0;b=c\r\n\r\n", "5;a=\"b;c\\\"\";d\r\nhello\r\n0\r\n\r\n", "5 ; a = b\r\nhello\r\n0\r\n\r\n",
    // 256 bytes of extensions
    "5;\(many("a", 255))\r\nhello\r\n0\r\n\r\n",
    // RFC 9112 §7.1.2: trailers are dropped
    "0\r\nX: y\r\nZ:\r\n\r\n",
    // RFC 9110 §6.5.1: and steer nothing
    "0\r\nContent-Length: 5\r\nHost: b\r\n\r\n"),
  .chunks(
    .served(["post /", "get /2"]),
    // RFC 9112 §9.3.2
    "0\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", "0\r\nX: y\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"),
  // `ChunkedDecoderTests` has more of what is refused.
  .chunks(
    .bodyRefused("post /"),
    // RFC 9112 §7.1
    "\r\n", "hello", "-5\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "4\r\nhello\r\n0\r\n\r\n",
    "6\r\nhello\r\n0\r\n\r\n", "0\r\n5\r\nhello\r\n0\r\n\r\n", "\(many("0", 100))5\r\nhello\r\n0\r\n\r\n",
    many("f", 5_000),
    // RFC 9112 §7.1.1
    "5;a\nhello\r\n0\r\n\r\n", "5;\(many("a", 257))\r\nhello\r\n0\r\n\r\n",
    "5;\(many("a=b;", 20_000))\r\nhello\r\n0\r\n\r\n",
    // RFC 9112 §7.1.2
    "0\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
    // 8 KiB of trailers
    "0\r\nX: \(many("y", 9_000))\r\n\r\n", "0\r\n\(many("X: y\r\n", 2_000))\r\n"),
]
