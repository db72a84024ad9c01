import LoadTesting
import Measuring
import Synchronization

/// A user whose photos and tokens one thread changes and others look at.
final class CheckedUser: Sendable {
  private struct State {
    var token: String
    /// The server may have ended it or not.
    var isTokenEnding = false
    var endedTokens: [String] = []
    /// Acknowledged, and not being deleted.
    var photos: Set<String> = []
    /// The last ones whose deletion was acknowledged.
    var deleted: [String] = []
  }

  /// The users of each run are others: lists with the photos of earlier runs would be longer.
  private static let run = UInt32.random(in: 0 ... .max)
  private static let maxPhotos = 10
  private static let remembered = 20

  private let email: String
  private let port: UInt16
  private let basic: String
  private let password: String
  private let state: Mutex<State>
  private let writer = Mutex<Writer>(Writer())

  /// A connection that only the user's writer uses.
  private struct Writer: ~Copyable {
    var connection: BlockingConnection?
    var usedAt = 0.0
  }

  /// Seconds after which a connection is replaced: the server closes one that is idle for long.
  private static let maxIdle = 5.0

  /// Signs up and signs in; nil if the server refuses.
  init?(number: Int, port: UInt16, basic: String, password: String) {
    (email, self.port, self.basic, self.password) = ("checked\(number).\(Self.run)@example.com", port, basic, password)
    state = Mutex(State(token: ""))
    _ = send("POST", "/api/signup", "Basic \(basic)", json: [("full_name", "A User")] + account)
    guard let token = signIn() else { return nil }
    state.withLock { $0.token = token }
  }

  // MARK: - Writes

  /// Makes one change. Returns false if the server refuses it.
  func write() -> Bool {
    let photos = state.withLock { $0.photos }
    switch Int.random(in: 0..<20) {
    case 0: return replaceToken()
    case 1...10 where photos.count < Self.maxPhotos: return upload()
    default: return photos.randomElement().map(delete) ?? upload()
    }
  }

  private func upload() -> Bool {
    let boundary = "----------------------------boundary"
    let body =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na selfie\r\n--\(boundary)\r\n"
      + "Content-Disposition: form-data; name=\"image\"; filename=\"photo\"\r\nContent-Type: image/jpeg\r\n\r\n"
      + "\u{1}\r\n--\(boundary)--\r\n"
    let answer = send(
      "POST", "/api/upload_photo", "Token token=\(token)", type: "multipart/form-data; boundary=\(boundary)", body)
    guard let answer, answer.status == 200, let id = Self.member("random_id", of: answer.body) else { return false }
    state.withLock { _ = $0.photos.insert(id) }
    return true
  }

  private func delete(_ id: String) -> Bool {
    state.withLock { _ = $0.photos.remove(id) }
    let answer = send("DELETE", "/api/delete_photo?photo_id=\(id)", "Token token=\(token)")
    guard answer?.status == 200 else { return false }
    state.withLock { $0.deleted = ($0.deleted + [id]).suffix(Self.remembered) }
    return true
  }

  private func replaceToken() -> Bool {
    let old = token
    state.withLock { $0.isTokenEnding = true }
    guard send("GET", "/api/clear_token", "Token token=\(old)")?.status == 200 else { return false }
    state.withLock { $0.endedTokens = ($0.endedTokens + [old]).suffix(Self.remembered) }
    guard let new = signIn() else { return false }
    state.withLock { ($0.token, $0.isTokenEnding) = (new, false) }
    return true
  }

  private func signIn() -> String? {
    send("POST", "/api/signin", "Basic \(basic)", json: account).flatMap { Self.member("api_authtoken", of: $0.body) }
  }

  private var account: [(String, String)] { [("email", email), ("password", password)] }

  private var token: String { state.withLock { $0.token } }

  private func send(
    _ method: String, _ target: String, _ authorization: String, json: [(String, String)]
  ) -> (status: Int, body: String)? {
    let body = "{\(json.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ","))}"
    return send(method, target, authorization, type: "application/json", body)
  }

  private func send(
    _ method: String, _ target: String, _ authorization: String, type: String = "application/json", _ body: String = ""
  ) -> (status: Int, body: String)? {
    writer.withLock { writer in
      if writer.usedAt < monotonicSeconds() - Self.maxIdle {
        writer.connection = BlockingConnection(port: port, timeout: 60)
      }
      writer.usedAt = monotonicSeconds()
      let request = """
        \(method) \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(authorization)\r\n\
        Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
        """
      return writer.connection?.response(to: Array(request.utf8)).flatMap(Self.answer)
    }
  }

  // MARK: - Reads

  /// Reads the list, with the current token or an ended one. Returns what is wrong with it; nil without a response.
  func read(on connection: BlockingConnection) -> String? {
    let before = state.withLock { $0 }
    let endedToken = Int.random(in: 0..<10) == 0 ? before.endedTokens.randomElement() : nil
    let token = endedToken ?? before.token
    let request = "GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(token)\r\n\r\n"
    guard let answer = connection.response(to: Array(request.utf8)).flatMap(Self.answer) else { return nil }
    if endedToken != nil { return answer.status == 401 ? "" : "an ended token got \(answer.status)" }
    let after = state.withLock { $0 }
    guard answer.status == 200 else {
      let mayBeEnded = before.isTokenEnding || after.isTokenEnding || after.token != token
      return answer.status == 401 && mayBeEnded ? "" : "the token of \(email) got \(answer.status)"
    }
    // Photos' ids are the only texts of 41 letters. To look for each of them would take longer than the server does.
    let texts = answer.body.utf8.split(separator: UInt8(ascii: "\""))
    let listed = Set(texts.lazy.filter { $0.count == 41 }.map { String(Substring($0)) })
    // A photo whose deletion began meanwhile may be gone.
    if let missing = before.photos.intersection(after.photos).subtracting(listed).first {
      return "the list of \(email) lacks \(missing)"
    }
    if let deleted = before.deleted.first(where: listed.contains) {
      return "the list of \(email) has \(deleted), which was deleted"
    }
    return ""
  }

  private static func answer(_ response: ArraySlice<UInt8>) -> (status: Int, body: String)? {
    let text = String(decoding: response, as: UTF8.self)
    return Int(text.dropFirst(9).prefix(3)).map { ($0, text) }
  }

  /// The text of a member of a JSON object.
  private static func member(_ name: String, of text: String) -> String? {
    guard let start = text.firstRange(of: "\"\(name)\":\"") else { return nil }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }
}
