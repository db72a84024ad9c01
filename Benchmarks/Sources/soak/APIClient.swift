import Glibc
import Measuring

/// Sends requests to the API, each client from an address of its own.
struct APIClient: Sendable {
  let port: UInt16
  /// The base64 of the API's name and password.
  let basic: String
  /// A password as the app encrypts it.
  let password: String

  /// Sends a request on a connection of its own. Returns the status and the body; nil if there is no response.
  func send(
    _ method: String, _ target: String, from client: Int, authorization: String? = nil,
    type: String = "application/json", body: [UInt8] = []
  ) -> (status: Int, body: String)? {
    guard let descriptor = Loopback.open(port: port, timeout: 60) else { return nil }
    defer { close(descriptor) }
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \(type)\r\n"
    head += "X-Forwarded-For: 10.\(client >> 16 & 255).\(client >> 8 & 255).\(client & 255)\r\n"
    if let authorization { head += "Authorization: \(authorization)\r\n" }
    head += "Content-Length: \(body.count)\r\n\r\n"
    _ = Exchange.send(Array(head.utf8) + body, to: descriptor)
    var response: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { response += buffer[..<count] }
    let text = String(decoding: response, as: UTF8.self)
    guard let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
    return (status, text)
  }

  func json(_ members: [(String, String)]) -> [UInt8] {
    Array("{\(members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ","))}".utf8)
  }

  var basicAuthorization: String { "Basic \(basic)" }
}

/// A user of the API.
struct Account: Sendable {
  let token: String
  private let number: Int
  private let api: APIClient

  /// Signs up, if that has not happened, and signs in. Nil if the server refuses.
  init?(number: Int, _ api: APIClient) {
    let email = "user\(number)@example.com"
    _ = api.send(
      "POST", "/api/signup", from: number, authorization: api.basicAuthorization,
      body: api.json([("full_name", "A User"), ("email", email), ("password", api.password)]))
    guard
      let response = api.send(
        "POST", "/api/signin", from: number, authorization: api.basicAuthorization,
        body: api.json([("email", email), ("password", api.password)])), response.status == 200,
      let token = Self.member("api_authtoken", of: response.body)
    else { return nil }
    self.token = token
    self.number = number
    self.api = api
  }

  /// Uploads small photos whose titles are long once they are escaped.
  func upload(count: Int) -> Bool {
    for _ in 0..<count where upload(bytes: 100, title: String(repeating: "<", count: 250)) == nil { return false }
    return true
  }

  /// Uploads a photo, and returns its id.
  func upload(bytes: Int, title: String) -> String? {
    let boundary = "----------------------------boundary"
    let body =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n\(title)\r\n--\(boundary)\r\n"
      + "Content-Disposition: form-data; name=\"image\"; filename=\"photo\"\r\nContent-Type: image/jpeg\r\n\r\n"
    let bytes = Array(body.utf8) + [UInt8](repeating: 0x41, count: bytes) + Array("\r\n--\(boundary)--\r\n".utf8)
    let response = send("POST", "/api/upload_photo", type: "multipart/form-data; boundary=\(boundary)", body: bytes)
    return response.flatMap { $0.status == 200 ? Self.member("random_id", of: $0.body) : nil }
  }

  func send(
    _ method: String, _ target: String, type: String = "application/json", body: [UInt8] = []
  ) -> (status: Int, body: String)? {
    api.send(method, target, from: number, authorization: "Token token=\(token)", type: type, body: body)
  }

  /// The text of a member of a JSON object.
  private static func member(_ name: String, of text: String) -> String? {
    guard let start = text.firstRange(of: "\"\(name)\":\"") else { return nil }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }
}
