import Glibc
import Measuring

/// Opens COUNT connections, lists the photos once on each, prints "ready", and keeps them open until it is ended.
@main
struct IdleConnections {
  /// From one address, because Linux has 28,000 ports for clients.
  private static let mostPerAddress = 5000

  static func main() {
    let arguments = arguments("idle-connections PORT COUNT TOKEN")
    guard let port = UInt16(arguments[0]) else { fail("\(arguments[0]) is no port") }
    let request = Array(
      "GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(arguments[2])\r\n\r\n".utf8)
    for index in 0..<number(arguments[1]) {
      let source = UInt32(INADDR_LOOPBACK) + 1 + UInt32(index / mostPerAddress)
      guard let descriptor = Loopback.open(port: port, source: source) else {
        fail("connection \(index): \(String(cString: strerror(errno)))")
      }
      guard Exchange.send(request, to: descriptor), Exchange.isAnswered(on: descriptor) else {
        fail("connection \(index) was not answered 200")
      }
    }
    let ready = Array("ready\n".utf8)
    _ = write(STDOUT_FILENO, ready, ready.count)
    while true { Glibc.pause() }
  }
}
