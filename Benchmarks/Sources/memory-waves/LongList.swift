import Glibc
import Measuring
import Platform

/// A user with so many photos, with such titles and names, that get_photos sends 26 MB.
struct LongList {
  let port: UInt16
  let token: String

  private static let photos = 8000
  private static let connections = 16

  func upload() throws {
    let threads = try (0..<Self.connections).map { _ in
      try Thread(named: "upload") { [self] in
        guard let descriptor = Loopback.open(port: port, timeout: 60) else { return }
        for _ in 0..<(Self.photos / Self.connections) {
          guard Exchange.send(request, to: descriptor), Exchange.isAnswered(on: descriptor) else {
            fail("memory-waves: an upload failed")
          }
        }
        close(descriptor)
      }
    }
    for thread in threads { thread.join() }
  }

  private var request: [UInt8] {
    // Each of them becomes six characters of JSON.
    let text = String(repeating: "<", count: 255)
    let body = """
      --b\r
      Content-Disposition: form-data; name="title"\r
      \r
      \(text)\r
      --b\r
      Content-Disposition: form-data; name="image"; filename="\(text)"\r
      \r
      x\r
      --b--\r\n
      """
    return Array(
      """
      POST /api/upload_photo HTTP/1.1\r
      Host: localhost\r
      Authorization: Token token=\(token)\r
      Content-Type: multipart/form-data; boundary=b\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """.utf8)
  }
}
