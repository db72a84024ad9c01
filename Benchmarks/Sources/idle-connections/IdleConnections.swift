import Glibc
import Measuring

/// Opens COUNT connections, lists the photos once on each, prints "ready", and keeps them open until it is ended.
@main
struct IdleConnections {
  static func main() {
    let arguments = arguments("idle-connections PORT COUNT TOKEN")
    guard let port = UInt16(arguments[0]) else { fail("\(arguments[0]) is no port") }
    let request = Array(
      "GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(arguments[2])\r\n\r\n".utf8)
    for index in 0..<number(arguments[1]) {
      let descriptor = Loopback.open(index, port: port)
      guard Exchange.send(request, to: descriptor), Exchange.isAnswered(on: descriptor) else {
        fail("connection \(index) was not answered 200")
      }
    }
    let ready = Array("ready\n".utf8)
    _ = write(STDOUT_FILENO, ready, ready.count)
    while true { Glibc.pause() }
  }
}
