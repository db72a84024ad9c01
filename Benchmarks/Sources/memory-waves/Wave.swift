import Glibc
import LoadTesting
import Measuring

/// Many clients that do the same at once, and read nothing.
struct Wave {
  let name: String
  let clients: Int
  /// What each client sends.
  private let request: [UInt8]
  /// How much of it each client sends at once. The rest follows in single bytes.
  private let burst: Int
  /// From here on, the burst is sent while the server stands still, so that it reads it at once; nil if it does not.
  private let standstill: Int?
  /// Whether the server's kernel can buffer little for a client.
  private let isTiny: Bool
  /// Whether each client has an address of its own. Otherwise they have one for all.
  private let hasManyAddresses: Bool

  /// Seconds for which a wave lasts.
  private static let duration = 12.0
  private static let interval = 0.05

  private static let mebibyte = 1 << 20

  /// Of a server that keeps memory which it has not reserved.
  static let unreserved = [
    Wave(
      name: "memory that is not reserved", clients: 2000,
      request: Array("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx".utf8), burst: .max),
    Wave(
      name: "memory that is not reserved, 2,000 addresses", clients: 2000,
      request: Array("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx".utf8), burst: .max,
      hasManyAddresses: true),
  ]

  static func all(basic: String, token: String, owner: String, notes: String) -> [Wave] {
    let stranger = signIn(authorization: nil)
    let known = signIn(authorization: "Basic \(basic)")
    let list = Array(
      "GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(owner)\r\n\r\n".utf8)
    let head = Array(
      ("GET /up HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 31_000)).utf8)
    let waiting = Array(
      ("POST /users/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nX: "
        + String(repeating: "x", count: 31_700) + "\r\n\r\n").utf8)
    let body = Array("POST /users/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx".utf8)
    let note = String(
      repeating:
        "GET /notes/1.json?token=token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic \(notes)\r\n\r\n", count: 20)
    return [
      Wave(name: "bodies without credentials", clients: 1000, request: stranger, burst: stranger.count - 1),
      Wave(name: "bodies with the API's credentials", clients: 1000, request: known, burst: known.count - 1),
      Wave(name: "bodies that trickle", clients: 1000, request: known, burst: known.count / 2),
      Wave(name: "heads without an end", clients: 8000, request: head, burst: head.count),
      Wave(name: "heads whose bodies do not come", clients: 14_000, request: waiting, burst: waiting.count),
      Wave(name: "unread lists of 8,000 photos", clients: 120, request: list, burst: list.count, isTiny: true),
      Wave(
        name: "unread long notes, 2,500 addresses", clients: 2500, request: Array(note.utf8), burst: .max, isTiny: true,
        hasManyAddresses: true),
      upload("file names of parts", clients: 2000, token, parts: fileNames),
      upload("names of many levels", clients: 2000, token, parts: levels),
      upload("the beginning of a photo, read at once", clients: 2400, token, parts: "", photo: 60_000),
      Wave(name: "one byte of a body, all connections", clients: 17_000, request: body, burst: body.count),
    ]
  }

  private init(
    name: String, clients: Int, request: [UInt8], burst: Int, standstill: Int? = nil, isTiny: Bool = false,
    hasManyAddresses: Bool = false
  ) {
    (self.name, self.clients, self.request) = (name, clients, request)
    (self.burst, self.standstill) = (min(burst, request.count), standstill)
    (self.isTiny, self.hasManyAddresses) = (isTiny, hasManyAddresses)
  }

  /// Uploads that stop before their end.
  ///
  /// - Parameter photo: how many bytes of a photo follow the other parts.
  private static func upload(_ name: String, clients: Int, _ token: String, parts: String, photo: Int = 0) -> Wave {
    let last = photo > 0 ? part("z", fileName: "z") : ""
    let beginning = Array(
      """
      POST /api/upload_photo HTTP/1.1\r
      Host: localhost\r
      Authorization: Token token=\(token)\r
      Content-Type: multipart/form-data; boundary=b\r
      Content-Length: 3000000\r
      \r
      \(parts)\(last)
      """.utf8)
    return Wave(
      name: name, clients: clients, request: beginning + [UInt8](repeating: UInt8(ascii: "d"), count: photo),
      burst: .max,
      standstill: photo > 0 ? beginning.count : nil)
  }

  /// The most parts that an upload may have beside its photo.
  private static let parts = 0..<31

  private static var fileNames: String {
    parts.map { part("f\($0)", fileName: String(repeating: "x", count: 8050)) + "\r\n" }.joined()
  }

  private static var levels: String {
    parts.map { part("l\($0)" + String(repeating: "[a]", count: 31)) + "\r\n" }.joined()
  }

  private static func part(_ name: String, fileName: String? = nil) -> String {
    let fileName = fileName.map { "; filename=\"\($0)\"" } ?? ""
    return "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\(fileName)\r\n\r\n"
  }

  private static func signIn(authorization: String?) -> [UInt8] {
    let body = [UInt8](repeating: UInt8(ascii: "["), count: mebibyte)
    return Array(
      """
      POST /api/signin HTTP/1.1\r
      Host: localhost\r
      \(authorization.map { "Authorization: \($0)\r\n" } ?? "")Content-Type: application/x-www-form-urlencoded\r
      Content-Length: \(body.count)\r
      \r\n
      """.utf8) + body
  }

  /// Runs the wave, and ends it.
  ///
  /// - Returns: the most that the server had in memory meanwhile, and how often a new client was not served.
  func run(port: UInt16, against server: ServerProcess) throws -> (most: Int, refused: Int) {
    var descriptors: [Int32] = []
    var sent = [Int](repeating: 0, count: clients)
    var hasStoodStill = false
    var (most, refused) = (0, 0)
    let end = monotonicSeconds() + Self.duration
    while monotonicSeconds() < end {
      for _ in 0..<500 where descriptors.count < clients {
        let source = 0x7f01_0000 + (hasManyAddresses ? UInt32(descriptors.count) : 0)
        guard let descriptor = Loopback.begin(port: port, source: source, isTiny: isTiny) else { continue }
        descriptors.append(descriptor)
      }
      let mark = hasStoodStill ? nil : standstill
      sendMore(to: descriptors, &sent, upTo: mark)
      if let mark, descriptors.count == clients, sent.allSatisfy({ $0 >= mark }) {
        kill(server.pid, SIGSTOP)
        sendMore(to: descriptors, &sent)
        kill(server.pid, SIGCONT)
        hasStoodStill = true
      }
      most = max(most, try server.sample().residentBytes)
      if !Exchange.isServed(port: port) { refused += 1 }
      pause(Self.interval)
    }
    for descriptor in descriptors { close(descriptor) }
    return (most, refused)
  }

  /// - Parameter limit: sends no more of the request; nil for all of it.
  private func sendMore(to descriptors: [Int32], _ sent: inout [Int], upTo limit: Int? = nil) {
    let limit = limit ?? request.count
    for (number, descriptor) in descriptors.enumerated() where sent[number] < limit {
      // One byte after the other, once the burst is over.
      let end = min(limit, sent[number] < burst ? burst : sent[number] + 1)
      let count = request[sent[number]..<end].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count > 0 { sent[number] += count }
    }
  }
}
