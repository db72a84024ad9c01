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
  .chunks(
    .bodyRefused("post /"),
    // RFC 9112 §7.1
    "\r\n", "hello", ";a\r\nhello\r\n", " 5\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n",
    "5\t\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "-0\r\n\r\n",
    "0x5\r\nhello\r\n0\r\n\r\n", "5h\r\nhello\r\n0\r\n\r\n", "5,\r\nhello\r\n0\r\n\r\n", "5.\r\nhello\r\n0\r\n\r\n",
    "5_0\r\nhello\r\n0\r\n\r\n", "\"5\"\r\nhello\r\n0\r\n\r\n", "\u{b5}\r\nhello\r\n0\r\n\r\n",
    "5\u{0}\r\nhello\r\n0\r\n\r\n", "\u{0}5\r\nhello\r\n0\r\n\r\n", "10000000000000005\r\nhello\r\n0\r\n\r\n",
    "ffffffffffffffff\r\nhello\r\n0\r\n\r\n", "8000000000000000\r\nhello\r\n0\r\n\r\n",
    "\(many("0", 100))5\r\nhello\r\n0\r\n\r\n", many("f", 5_000), "5\nhello\r\n0\r\n\r\n", "5\rhello\r\n0\r\n\r\n",
    "5\r\r\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n", "5\r\nhello0\r\n\r\n",
    "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n", "5\r\nhello\r\n0\r\n\rX", "5\n\nhello\r\n0\r\n\r\n",
    "5\r\nhello\r\n\r\n0\r\n\r\n", "4\r\nhello\r\n0\r\n\r\n", "6\r\nhello\r\n0\r\n\r\n", "0\r\n0\r\n\r\n",
    "0\r\n5\r\nhello\r\n0\r\n\r\n",
    // RFC 9112 §7.1.1
    "5;\r\nhello\r\n0\r\n\r\n", "5;=\r\nhello\r\n0\r\n\r\n", "5;a=\r\nhello\r\n0\r\n\r\n", "5;a\nhello\r\n0\r\n\r\n",
    "5;\nhello\r\n0\r\n\r\n", "5;a\rhello\r\n0\r\n\r\n", "5;a=\"\nb\"\r\nhello\r\n0\r\n\r\n",
    "5;a\u{0}\r\nhello\r\n0\r\n\r\n", "5;a\u{7f}\r\nhello\r\n0\r\n\r\n", "5;\(many("a", 257))\r\nhello\r\n0\r\n\r\n",
    "5;\(many("a=b;", 20_000))\r\nhello\r\n0\r\n\r\n", "0;\(many("a", 257))\r\n\r\n",
    // RFC 9110 §5.6.4: a quote is open
    "5;a=\"b\r\nhello\r\n0\r\n\r\n",
    // RFC 9112 §7.1.2
    "0\r\nX\r\n\r\n", "0\r\n: y\r\n\r\n", "0\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
    // RFC 9112 §5.1: no white space before the colon
    "0\r\nX : y\r\n\r\n",
    // RFC 9112 §5.2: obs-fold
    "0\r\n X: y\r\n\r\n", "0\r\nX: y\r\n z\r\n\r\n",
    // RFC 9112 §2.2
    "0\r\nX: y\n\r\n", "0\r\nX: y\rZ: z\r\n\r\n",
    // RFC 9110 §5.5: NUL
    "0\r\nX: \u{0}\r\n\r\n",
    // RFC 9110 §5.1: a token
    "0\r\nX\u{0}: y\r\n\r\n",
    // 8 KiB of trailers
    "0\r\nX: \(many("y", 9_000))\r\n\r\n", "0\r\n\(many("X: y\r\n", 2_000))\r\n"),
]
