import Glibc
import Measuring
import Platform
import Synchronization

/// Makes COUNT uploads of BYTES bytes at once, each on its own connection. Each holds only a chunk of its photo in
/// memory. Exits with 1 if one of them is not answered with 200.
@main
struct ManyUploads {
  private static let boundary = "---------------------------14737809831466499882746641449"
  private static let chunk = 64 * 1024
  /// Seconds that a response may take after the upload is sent. The disk has all the others to write as well.
  private static let timeout = 300

  static func main() throws {
    let arguments = arguments("many-uploads PORT COUNT BYTES TOKEN")
    guard let port = UInt16(arguments[0]) else { fail("\(arguments[0]) is no port") }
    let (count, byteCount, token) = (number(arguments[1]), number(arguments[2]), arguments[3])
    let successes = Atomic<Int>(0)
    let threads = try (0..<count).map { _ in
      try Thread(named: "upload") {
        if upload(byteCount, token: token, port: port) { successes.add(1, ordering: .relaxed) }
      }
    }
    for thread in threads { thread.join() }
    let answered = successes.load(ordering: .relaxed)
    guard answered == count else { fail("only \(answered) of \(count) uploads were answered 200") }
  }

  private static func upload(_ byteCount: Int, token: String, port: UInt16) -> Bool {
    guard let descriptor = Loopback.open(port: port, timeout: timeout) else { return false }
    defer { close(descriptor) }
    let opening =
      "--\(boundary)\r\nContent-Disposition: attachment; name=\"image\"; filename=\"photo\"\r\n"
      + "Content-Type: application/octet-stream\r\n\r\n"
    let ending =
      "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na selfie\r\n--\(boundary)--\r\n"
    let head =
      "POST /api/upload_photo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(token)\r\n"
      + "Content-Type: multipart/form-data; boundary=\(boundary)\r\n"
      + "Content-Length: \(opening.utf8.count + byteCount + ending.utf8.count)\r\n\r\n"
    guard Exchange.send(Array((head + opening).utf8), to: descriptor) else { return false }
    let bytes = [UInt8](repeating: 0x5a, count: chunk)
    var rest = byteCount
    while rest > 0 {
      let next = rest >= chunk ? bytes : Array(bytes[..<rest])
      guard Exchange.send(next, to: descriptor) else { return false }
      rest -= next.count
    }
    return Exchange.send(Array(ending.utf8), to: descriptor) && Exchange.isAnswered(on: descriptor)
  }
}
