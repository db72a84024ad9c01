import Glibc
import LoadTesting
import Measuring

/// What the attackers do, at a pace at which each attack once harmed a server without bounds.
enum Attack: CaseIterable {
  /// Sends forms whose only name has hundreds of thousands of brackets.
  case nestedForm
  /// Sends most of a body of 1 MB without credentials, and waits.
  case unfinishedBody
  /// Asks for a long list, and does not read it.
  case unreadList
  /// Signs in as people who do not exist.
  case unknownAccounts
  /// Signs up again and again, from ever new addresses.
  case signUps
  /// Sends a deeply nested JSON value as a password.
  case nestedPassword

  var threads: Int {
    switch self {
    case .nestedForm: 2
    case .unfinishedBody, .unreadList, .nestedPassword: 1
    case .unknownAccounts: 2
    case .signUps: 16
    }
  }

  /// Seconds between two rounds of a thread.
  private var interval: Double {
    switch self {
    case .nestedForm, .nestedPassword: 1
    case .unfinishedBody, .unreadList: 5
    case .unknownAccounts: 0.02
    case .signUps: 0.1
    }
  }

  func run(_ client: Int, _ api: APIClient, _ token: String, until isOver: Flag) {
    var held: [[Int32]] = []
    var round = 0
    while !isOver.isRaised {
      round += 1
      // No two requests of the attackers come from the same address.
      let source = (client * 1_000_003 + round) & 0xff_ffff
      switch self {
      case .nestedForm:
        _ = api.send(
          "POST", "/up", from: source, type: "application/x-www-form-urlencoded", body: Self.nestedName)
      case .unfinishedBody: held.append(hold(count: 100, api, Self.unfinished))
      case .unreadList: held.append(hold(count: 20, api, Self.list(token)))
      case .unknownAccounts:
        _ = api.send(
          "POST", "/api/signin", from: source, authorization: api.basicAuthorization,
          body: api.json([("email", "nobody\(source)@example.com"), ("password", api.password)]))
      case .signUps:
        _ = api.send(
          "POST", "/api/signup", from: source, authorization: api.basicAuthorization,
          body: api.json([("full_name", "x"), ("email", "new\(source)@example.com"), ("password", api.password)]))
      case .nestedPassword:
        _ = api.send(
          "POST", "/api/reset_password", from: source, authorization: "Token token=\(token)", body: Self.arrays)
      }
      // Four rounds of connections are held at any time.
      if held.count > 4 { for descriptor in held.removeFirst() { close(descriptor) } }
      pause(interval)
    }
    for descriptor in held.joined() { close(descriptor) }
  }

  private func hold(count: Int, _ api: APIClient, _ bytes: [UInt8]) -> [Int32] {
    (0..<count).compactMap { _ in
      guard let descriptor = Loopback.begin(port: api.port, isTiny: self == .unreadList) else { return nil }
      // The socket does not block, and what does not fit is not sent.
      var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = Glibc.poll(&poll, 1, 1000)
      _ = Exchange.send(bytes, to: descriptor)
      return descriptor
    }
  }

  private static let nestedName =
    Array("a".utf8) + Array(repeating: Array("\n[]".utf8), count: 349_000).joined()
    + Array("=1".utf8)

  private static let unfinished =
    Array(
      """
      POST /api/signup HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/json\r
      Content-Length: 1048576\r
      \r\n
      """.utf8) + [UInt8](repeating: 0x20, count: 1_000_000)

  private static func list(_ token: String) -> [UInt8] {
    Array("GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(token)\r\n\r\n".utf8)
  }

  private static let arrays: [UInt8] = {
    let array = String(repeating: "[", count: 95) + String(repeating: "]", count: 95)
    let arrays = Array(repeating: array, count: 5_000).joined(separator: ",")
    return Array("{\"old_password\":[\(arrays)],\"new_password\":\"x\"}".utf8)
  }()
}
