import Cryptography
import TestSupport

/// The requests of the API, as the apps send them.
struct API {
  static let name = "torture"
  static let password = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"

  private static let basic = "Basic " + Base64.encode(Array("\(name):\(password)".utf8))
  private static let boundary = "---------------------------14737809831466499882746641449"

  let client: Client

  func signUp(_ account: Account) throws(Client.Lost) -> RawResponse {
    try send(
      "POST", "/api/signup", Self.basic,
      ["full_name": "Jo Smith", "email": account.email, "password": Self.encrypt(account.password)])
  }

  func signIn(_ email: String, _ password: String) throws(Client.Lost) -> RawResponse {
    try send("POST", "/api/signin", Self.basic, ["email": email, "password": Self.encrypt(password)])
  }

  func reset(_ token: String, from old: String, to new: String) throws(Client.Lost) -> RawResponse {
    try send(
      "POST", "/api/reset_password", Self.token(token),
      ["old_password": Self.encrypt(old), "new_password": Self.encrypt(new)])
  }

  /// - Parameter pause: microseconds between two chunks of 64 KiB.
  func upload(_ token: String, _ image: [UInt8], title: String, pause: UInt32) throws(Client.Lost) -> RawResponse {
    let head = """
      --\(Self.boundary)\r
      Content-Disposition: attachment; name="image"; filename="photo"\r
      Content-Type: application/octet-stream\r
      \r\n
      """
    let tail = """
      \r
      --\(Self.boundary)\r
      Content-Disposition: form-data; name="title"\r
      \r
      \(title)\r
      --\(Self.boundary)--\r\n
      """
    return try client.send(
      "POST", "/api/upload_photo", authorization: Self.token(token),
      type: "multipart/form-data; boundary=\(Self.boundary)",
      body: Array(head.utf8) + image + Array(tail.utf8), pause: pause)
  }

  func delete(_ token: String, photo id: String) throws(Client.Lost) -> RawResponse {
    try send("DELETE", "/api/delete_photo", Self.token(token), ["photo_id": id])
  }

  func refresh(_ token: String) throws(Client.Lost) -> RawResponse {
    try client.send("POST", "/api/refresh_token", authorization: Self.token(token))
  }

  func clear(_ token: String) throws(Client.Lost) -> RawResponse {
    try client.send("GET", "/api/clear_token", authorization: Self.token(token))
  }

  func photos(_ token: String) throws(Client.Lost) -> RawResponse {
    try client.send("GET", "/api/get_photos", authorization: Self.token(token))
  }

  func download(_ id: String) throws(Client.Lost) -> RawResponse { try client.send("GET", "/photos/\(id)") }

  func writeNote(_ title: String, of account: Account) throws(Client.Lost) -> RawResponse {
    try client.send(
      "POST", "/notes.json", authorization: Self.basic(account), type: "application/x-www-form-urlencoded",
      body: Array("token=token&note[title]=\(title)&note[body]=\(title)".utf8))
  }

  func deleteNote(_ id: Int, of account: Account) throws(Client.Lost) -> RawResponse {
    try client.send("DELETE", "/notes/\(id).json?token=token", authorization: Self.basic(account))
  }

  func notes(_ account: Account) throws(Client.Lost) -> RawResponse {
    try client.send("GET", "/notes.json?token=token", authorization: Self.basic(account))
  }

  private func send(
    _ method: String, _ target: String, _ authorization: String, _ members: KeyValuePairs<String, String>
  ) throws(Client.Lost) -> RawResponse {
    let json = "{" + members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    return try client.send(
      method, target, authorization: authorization, type: "application/json", body: Array(json.utf8))
  }

  private static func basic(_ account: Account) -> String {
    "Basic " + Base64.encode(Array("\(account.email):\(account.password)".utf8))
  }

  private static func token(_ token: String) -> String { "Token token=\(token)" }

  private static func encrypt(_ text: String) -> String {
    AESCrypt(password: Array(password.utf8)).encrypt(Array(text.utf8))
  }
}
