/// Header fields (RFC 9112 §5), and the fields that steer a connection.
let fieldLines: [WireCase] =
  [
    .field(.served(["get /"]), "X:", "RFC 9110 §5.5: an empty value"),
    .field(.served(["get /"]), "X:y", "RFC 9112 §5: no white space needed"),
    .field(.served(["get /"]), "X: \t  y \t ", "RFC 9112 §5.1: OWS"),
    .field(.served(["get /"]), "X: a\tb  c", "RFC 9110 §5.5: white space within"),
    .field(.served(["get /"]), "X: \u{80}\u{ff}", "RFC 9110 §5.5: obs-text"),
    .field(.served(["get /"]), "X: a: b; c=\"d\", e", "RFC 9110 §5.5"),
    .field(.served(["get /"]), "!#$%&'*+-.^_`|~0: y", "RFC 9110 §5.1: a token"),
    .field(.served(["get /"]), "X: y\r\nX: y\r\nx: y", "RFC 9110 §5.2: repeated fields"),
    .field(.served(["get /"]), "Content_Length: 5", "RFC 9110 §5.1: another name"),
    .field(.served(["get /"]), "Cookie: a=b; c", "RFC 9110 §5.5"),

    .field(.refused(400), "X", "RFC 9112 §5: a colon is needed"),
    .field(.refused(400), "X y", "RFC 9112 §5: a colon is needed"),
    .field(.refused(400), "X;y", "RFC 9112 §5: a colon is needed"),
    .field(.refused(400), ":", "RFC 9112 §5: a name is needed"),
    .field(.refused(400), ": y", "RFC 9112 §5: a name is needed"),
    .field(.refused(400), " : y", "RFC 9112 §5: a name is needed"),
    .field(.refused(400), "GET / HTTP/1.1", "RFC 9112 §5: a request line is no field"),
    .field(.refused(400), "X : y", "RFC 9112 §5.1: no white space before the colon"),
    .field(.refused(400), "X\t: y", "RFC 9112 §5.1: no white space before the colon"),
    .field(.refused(400), "X  \t : y", "RFC 9112 §5.1: no white space before the colon"),
    .field(.refused(400), " X: y", "RFC 9112 §5.2: obs-fold"),
    .field(.refused(400), "\tX: y", "RFC 9112 §5.2: obs-fold"),
    .field(.refused(400), "X: y\r\n z", "RFC 9112 §5.2: obs-fold"),
    .field(.refused(400), "X: y\r\n\tz", "RFC 9112 §5.2: obs-fold"),
    .field(.refused(400), "X: y\r\n ", "RFC 9112 §5.2: obs-fold"),
    .field(.refused(400), "X:\r\n y", "RFC 9112 §5.2: obs-fold"),
    .field(.refused(400), "X: y\nZ: z", "RFC 9112 §2.2: bare LF"),
    .field(.refused(400), "X: y\rZ: z", "RFC 9112 §2.2: bare CR"),
    .field(.refused(400), "X: y\r", "RFC 9112 §2.2: bare CR"),
    .field(.refused(400), "X: y\r\r\nZ: z", "RFC 9112 §2.2: bare CR"),
    .field(.refused(400), "X\r: y", "RFC 9112 §2.2: bare CR"),
    .field(.refused(400), "\r: y", "RFC 9112 §2.2: bare CR"),
    .field(.refused(400), "\rContent-Length: 5", "RFC 9112 §2.2: a CR that would hide a field"),
    .field(.refused(400), "X\u{a0}: y", "RFC 9110 §5.1: a token"),

    // What steers the connection
    .field(.servedLast(["get /"]), "Connection: close", "RFC 9112 §9.6"),
    .field(.servedLast(["get /"]), "CONNECTION:CLOSE", "RFC 9110 §7.6.1: no case"),
    .field(.servedLast(["get /"]), "Connection: keep-alive, close", "RFC 9112 §9.3: close wins"),
    .field(.servedLast(["get /"]), "Connection: close\r\nConnection: keep-alive", "RFC 9112 §9.3: close wins"),
    .field(.servedLast(["get /"]), "Connection: x\r\nConnection: ,close,", "RFC 9110 §5.6.1: empty list elements"),
    .field(.served(["get /"]), "Connection: keep-alive", "RFC 9112 §9.3"),
    .field(.served(["get /"]), "Connection: Host", "RFC 9110 §7.6.1: no field of ours is hop-by-hop"),
    .field(.served(["get /"]), "Keep-Alive: timeout=0", "RFC 9112 §9.3: not a field of HTTP/1.1"),
    .field(.served(["get /"]), "Connection: Upgrade\r\nUpgrade: websocket", "RFC 9110 §7.8: may be ignored"),
    .field(
      .served(["get /"]), "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA", "RFC 9113 §3.1"
    ),
    .field(.served(["get /"]), "TE: trailers", "RFC 9110 §10.1.4"),
    .field(.served(["get /"]), "Expect: 100-continue", "RFC 9110 §10.1.1: no body, so it is ignored"),
    .field(.refused(417), "Expect: 100-continued", "RFC 9110 §10.1.1"),
    .field(.refused(417), "Expect: 200-ok", "RFC 9110 §10.1.1"),
    .field(.refused(417), "Expect:", "RFC 9110 §10.1.1"),
    .field(.refused(417), "Expect: 100-continue, 100-continue", "RFC 9110 §10.1.1: one member, to the letter"),
    .field(.refused(417), "Expect: 100-continue\r\nExpect: x", "RFC 9110 §10.1.1"),
    .field(.refused(417), "Expect: \"100-continue\"", "RFC 9110 §10.1.1"),
  ]
  // Every byte that a name, a value or a target must not hold.
  + (controls + [0x7f]).map {
    .field(.refused(400), "X: a\(character($0))b", "RFC 9110 §5.5: no controls in a value")
  }
  + (controls + [0x09, 0x7f] + Array(" \"(),/;<=>?@[\\]{}".utf8)).map {
    .field(.refused(400), "X\(character($0))Y: a", "RFC 9110 §5.6.2: no tchar")
  }

/// Without tab, LF and CR, which have rows of their own.
private let controls: [UInt8] = (0...0x1f).filter { ![0x09, 0x0a, 0x0d].contains($0) }

private func character(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }
