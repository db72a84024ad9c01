import APITestSupport

/// The recorded requests as the bytes that a client sends.
enum RecordedRequests {
  /// Every request of the scenarios, with stand-ins for what earlier responses would have brought.
  static func all() throws -> [[UInt8]] { try read.get() }

  private static let read = Result {
    let functions = PlaceholderFunctions(
      run: "0123456789", authName: APIFixture.authName, authPassword: APIFixture.authPassword)
    return try Scenario.names.map(Scenario.init(named:)).flatMap { scenario in
      try scenario.exchanges.map { exchange in
        try exchange.request(filledBy: Placeholders(functions: functions)).bytes
      }
    }
  }
}

extension WireRequest {
  /// The request line, the fields and the body.
  var bytes: [UInt8] {
    let head = fields.reduce("\(method) \(target) HTTP/1.1\r\n") { "\($0)\($1.name): \($1.value)\r\n" }
    return Array((head + "\r\n").utf8) + body
  }
}
