import Glibc
import Synchronization

/// A client's connection to a server on this machine, for requests that no client library would send.
///
/// It is kept from one request to the next unless the server ends it. It blocks.
final class ReplayConnection: Sendable {
  struct Failure: Error {
    let message: String
  }

  private let port: Int
  private let socket = Mutex<Int32?>(nil)
  /// No answer takes as long, even on a machine that has much else to do.
  private static let patience = timeval(tv_sec: 20, tv_usec: 0)

  init(port: Int) {
    self.port = port
  }

  /// Sends a request and reads its answer.
  func answer(to request: WireRequest) throws -> Answer {
    let descriptor = try open()
    var head = "\(request.method) \(request.target) HTTP/1.1\r\n"
    for field in request.fields { head += "\(field.name): \(field.value)\r\n" }
    try Self.send(Array((head + "\r\n").utf8) + request.body, to: descriptor)

    var received: [UInt8] = []
    var bodyStart = received.endOfHead
    while bodyStart == nil {
      guard try Self.receive(&received, from: descriptor) else { throw Failure(message: "no answer") }
      bodyStart = received.endOfHead
    }
    var answer = try Answer(head: received[..<(bodyStart ?? 0)])
    var body = Array(received[(bodyStart ?? 0)...])
    let length = try answer.takeConnectionFields()
    let hasBody = request.method != "HEAD" && answer.status != 204 && answer.status != 304
    let expected = hasBody ? length.byteCount ?? 0 : 0
    while body.count < expected {
      guard try Self.receive(&body, from: descriptor) else { throw Failure(message: "the body is cut off") }
    }
    guard body.count == expected else { throw Failure(message: "more came than Content-Length says") }
    if length.closes {
      guard try !Self.receive(&body, from: descriptor) else { throw Failure(message: "bytes after the last answer") }
      close()
    }
    answer.body = body
    return answer
  }

  func close() {
    if let descriptor = socket.withLock({ $0.take() }) { Glibc.close(descriptor) }
  }

  private func open() throws -> Int32 {
    if let descriptor = socket.withLock({ $0 }) { return descriptor }
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var patience = Self.patience
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    socket.withLock { $0 = descriptor }
    guard isConnected else { throw Failure(message: "cannot connect: \(String(cString: strerror(errno)))") }
    return descriptor
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failure(message: "cannot send: \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }

  /// False at the end of the connection.
  private static func receive(_ bytes: inout [UInt8], from descriptor: Int32) throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failure(message: "cannot receive: \(String(cString: strerror(errno)))") }
    bytes += buffer[..<count]
    return count > 0
  }
}

extension [UInt8] {
  /// Where the body begins; nil while the head is not there as a whole.
  fileprivate var endOfHead: Int? {
    let mark = Array("\r\n\r\n".utf8)
    return indices.first { self[$0...].starts(with: mark) }.map { $0 + mark.count }
  }
}

extension Answer {
  fileprivate init(head: ArraySlice<UInt8>) throws {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    guard let status = lines.first?.wholeMatch(of: /HTTP\/1\.1 ([0-9]{3}) .+/).flatMap({ Int($0.1) }) else {
      throw ReplayConnection.Failure(message: "not a status line: \(lines.first ?? "")")
    }
    let fields = try lines.dropFirst().map { line in
      guard let match = line.wholeMatch(of: /([A-Za-z0-9-]+): (.*)/) else {
        throw ReplayConnection.Failure(message: "not a header field: \(line)")
      }
      return Field(name: String(match.1), value: String(match.2))
    }
    self.init(status: status, fields: fields, body: [])
  }

  /// Takes out what the server adds to the application's fields, and checks it.
  fileprivate mutating func takeConnectionFields() throws -> (byteCount: Int?, closes: Bool) {
    let date = /[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT/
    let own = fields.filter { ["Date", "Content-Length", "Connection"].contains($0.name) }
    fields.removeAll { own.contains($0) }
    let values = Dictionary(grouping: own, by: \.name).mapValues { $0.map(\.value) }
    guard values["Date"]?.count == 1, values["Date"]?[0].wholeMatch(of: date) != nil else {
      throw ReplayConnection.Failure(message: "Date: \(values["Date"] ?? [])")
    }
    let length = values["Content-Length"]?.map { Int($0) ?? -1 } ?? []
    let wantsLength = status != 204 && status != 304
    guard length.count == (wantsLength ? 1 : 0), length.allSatisfy({ $0 >= 0 }) else {
      throw ReplayConnection.Failure(message: "Content-Length: \(values["Content-Length"] ?? [])")
    }
    let connection = values["Connection"] ?? []
    guard connection.isEmpty || connection == ["close"] else {
      throw ReplayConnection.Failure(message: "Connection: \(connection)")
    }
    return (length.first, !connection.isEmpty)
  }
}
