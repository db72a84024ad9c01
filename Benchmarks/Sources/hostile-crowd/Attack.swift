/// The ways to hold a server up, how many clients try each, and how long the server may bear with one.
enum Attack: String, CaseIterable {
  /// A byte of a request's head now and then (Slowloris).
  case slowHead = "slow head"
  /// A connection, and not a byte.
  case silent = "silent"
  /// A byte of a sign-in's body each second.
  case slowBody = "slow body"
  /// Thousands of requests at once, of whose answers none is read.
  case nonReader = "non-reader"

  var clients: Int {
    switch self {
    case .slowHead, .silent: 1000
    case .slowBody, .nonReader: 300
    }
  }

  /// What it sends as soon as it is connected.
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
      // More than the server reads at a time, so that some of them wait in its kernel.
      Array(String(repeating: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 4000).utf8)
    }
  }

  /// What it sends from then on, byte by byte; the last one again and again.
  var drip: [UInt8] {
    switch self {
    case .slowHead: Array("GET /up HTTP/1.1\r\nHost: localhost\r\nX-Filler: a".utf8)
    case .slowBody: Array("{\"email\":\" ".utf8)
    case .silent, .nonReader: []
    }
  }

  /// Seconds between two bytes, of the client with this number.
  func interval(of number: Int) -> Double {
    self == .slowHead && number % 2 == 1 ? 2 : 1
  }

  /// Seconds after which it must be gone, whatever it still sends, by the server's own limits
  /// (Sources/HTTPServer/Limits.swift), and five for the timer and for the byte that finds out.
  var allowed: Double {
    switch self {
    // The head's time; then the server lingers, since more comes.
    case .slowHead: 15 + 30 + 5
    case .silent: 75 + 5
    // The grace; then the server lingers.
    case .slowBody: 120 + 30 + 5
    case .nonReader: 60 + 5
    }
  }
}
