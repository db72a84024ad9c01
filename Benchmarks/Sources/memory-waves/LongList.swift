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
      --B\r
      Content-Disposition: form-data; name="title"\r
      \r
      \(text)\r
      --B\r
      Content-Disposition: form-data; name="image"; filename="\(text)"\r
      \r
      x\r
      --B--\r\n
      """
    return Exchange.upload(body, token: token)
  }
}
