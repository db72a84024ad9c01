/// The attacks, how many clients make each, and how long the server may keep one of them connected.
enum Attack: String, CaseIterable {
  /// Sends the head of a request in single bytes with pauses (Slowloris).
  case slowHead = "slow head"
  /// Connects, and sends nothing.
  case silent = "silent"
  /// Sends the body of a sign-in, one byte each second.
  case slowBody = "slow body"
  /// Sends thousands of requests at once, and reads none of the responses.
  case nonReader = "non-reader"

  var clients: Int {
    switch self {
    case .slowHead, .silent: 1000
    case .slowBody, .nonReader: 300
    }
  }

  /// The bytes that it sends as soon as it is connected.
  func opening(basic: String) -> [UInt8] {
    switch self {
    case .slowHead, .silent: []
    case .slowBody:
      Array(
        """
        POST /api/signin HTTP/1.1\r
        Host: localhost\r
        Authorization: Basic \(basic)\r
        Content-Type: application/json\r
        Content-Length: 100000\r
        \r\n
        """.utf8)
    case .nonReader:
      // More than the server reads at a time, so that some requests wait in its kernel.
      Array(String(repeating: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 4000).utf8)
    }
  }

  /// The bytes that it sends after that, one at a time. The last one is repeated.
  var drip: [UInt8] {
    switch self {
    case .slowHead: Array("GET /up HTTP/1.1\r\nHost: localhost\r\nX-Filler: a".utf8)
    case .slowBody: Array("{\"email\":\" ".utf8)
    case .silent, .nonReader: []
    }
  }

  /// Seconds between two bytes of the client with this number.
  func interval(of number: Int) -> Double {
    self == .slowHead && number % 2 == 1 ? 2 : 1
  }

  /// Seconds after which the server must have ended the connection, by its own limits
  /// (Sources/HTTPServer/Limits.swift), plus five for the timer and for the next byte, with which the attacker notices.
  var allowed: Double {
    switch self {
    // The time for a head. Then the server keeps its sending side open, and lingers, because the attacker keeps sending.
    case .slowHead: 15 + 1 + 30 + 5
    case .silent: 75 + 5
    // The grace period. Then the server does the same.
    case .slowBody: 120 + 5 + 30 + 5
    case .nonReader: 60 + 5
    }
  }
}
