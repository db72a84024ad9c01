import Measuring

/// Looks for costlier inputs by changing the costliest ones that are known.
struct Search {
  /// A body or a field whose middle is repeated until it has the wanted size.
  private struct Seed {
    let place: Input.Place
    let path: String
    let type: String
    var start: [UInt8]
    var pattern: [UInt8]
    var end: [UInt8]
    var cost = 0.0

    func input(_ client: Client, name: String) -> Input {
      let (start, pattern, end) = (
        String(decoding: start, as: UTF8.self), pattern, String(decoding: end, as: UTF8.self)
      )
      let text = String(decoding: pattern, as: UTF8.self)
      return place == .body
        ? client.body(name, path, type, start, text, end) : client.field(name, path: path, start, text, end)
    }
  }

  private static let tokens = [
    "a", "[", "]", "[]", "[b]", "=", "&", ";", "%41", "%", "+", "\n", "\r\n", "\"", "\\", "\\\"", "\\u0041", "\\n", "{",
    "}", "\"a\":", ",", "0", "-", "1e9", "null", "--B", "--B\r\n", "Content-Disposition: ", "name=\"", "; filename=\"",
    " ", "\t", "é", "\u{301}", "W/", "*", ":", "/", ".", "bytes=", "boundary=", "close", "auth_tkt",
  ].map { Array($0.utf8) }

  private let meter: Meter
  private let client: Client
  private let seconds: Double
  private var random = SystemRandomNumberGenerator()

  init(meter: Meter, client: Client, seconds: Double) {
    self.meter = meter
    self.client = client
    self.seconds = seconds
  }

  /// The costliest input of each kind that was found.
  func worst() -> [Input] {
    let kinds: [(name: String, seed: Seed)] = [
      ("searched: a form", body("/up", Client.form, "", "a[b]=c&", "")),
      ("searched: JSON", body("/api/signin", Client.json, "[", "{\"a\":[1]},", "0]")),
      (
        "searched: multipart",
        body("/up", "multipart/form-data; boundary=B", "--B\r\n", "Content-Disposition: x; name=a", "\r\n--B--")
      ),
      (
        "searched: a password",
        body("/api/reset_password", Client.json, "{\"new_password\":\"\",\"old_password\":\"", "A", "\"}")
      ),
      ("searched: Connection", field("/up", "Connection: ", "a,")),
      ("searched: Authorization", field("/api/get_photos", "Authorization: Token ", "a=\"b\",")),
      ("searched: Cookie", field("/users", "Cookie: ", "auth_tkt=a;")),
      ("searched: Accept", field("/", "Accept: ", "a/b;q=1,")),
      ("searched: Content-Type", field("/up", "Content-Type: multipart/x;", "boundary=a")),
      ("searched: Range", field("/photos/\(client.photo)", "Range: bytes=", "0-1,")),
      ("searched: If-None-Match", field("/photos/\(client.photo)", "If-None-Match: ", "\"a\",")),
      ("searched: If-Modified-Since", field("/photos/\(client.photo)", "If-Modified-Since: ", "Sun, 06 Nov ")),
    ]
    return kinds.map { name, seed in
      let worst = climb(seed)
      let pattern = String(decoding: worst.pattern.prefix(20), as: UTF8.self).debugDescription
      return worst.input(client, name: "\(name), \(pattern)")
    }
  }

  private func body(_ path: String, _ type: String, _ start: String, _ pattern: String, _ end: String) -> Seed {
    Seed(
      place: .body, path: path, type: type, start: Array(start.utf8), pattern: Array(pattern.utf8), end: Array(end.utf8)
    )
  }

  private func field(_ path: String, _ start: String, _ pattern: String) -> Seed {
    Seed(place: .field, path: path, type: "", start: Array(start.utf8), pattern: Array(pattern.utf8), end: [])
  }

  /// Keeps each change that makes the input costlier, until the time is over.
  private func climb(_ seed: Seed) -> Seed {
    var best = seed
    best.cost = cost(seed)
    let end = monotonicSeconds() + seconds / 12
    while monotonicSeconds() < end {
      var next = best
      change(&next)
      next.cost = cost(next)
      // The second look keeps out what was only noise.
      if next.cost > best.cost * 1.05, cost(next) > best.cost { best = next }
    }
    return best
  }

  private func cost(_ seed: Seed) -> Double {
    let size = seed.place.sizes.small
    return meter.cost(of: seed.input(client, name: "").request(size), seconds: 0.003)
  }

  private func change(_ seed: inout Seed) {
    let token = Self.tokens.randomElement() ?? []
    // A line end in a field would end it.
    guard seed.place == .body || !token.contains(UInt8(ascii: "\n")) else { return }
    switch Int.random(in: 0..<6) {
    case 0: seed.pattern.insert(contentsOf: token, at: Int.random(in: 0...seed.pattern.count))
    case 1: seed.pattern = token
    case 2: seed.pattern += token
    case 3 where seed.pattern.count > 1: seed.pattern.remove(at: Int.random(in: 0..<seed.pattern.count))
    case 4 where seed.pattern.count < 200: seed.pattern += seed.pattern
    default: seed.start += token
    }
  }
}
