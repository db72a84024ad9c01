import Cryptography

/// The requests of the tutorial's app and of the Notes app.
package struct AppRequests: Sendable {
  /// The API's.
  package let name: String
  package let password: String

  package init(name: String, password: String) {
    self.name = name
    self.password = password
  }

  /// `AESCrypt.encrypt(_:password:)` with the API's password.
  package func encrypt(_ text: String) -> String { AESCrypt(password: Array(password.utf8)).encrypt(Array(text.utf8)) }

  package func signUp(_ email: String, _ password: String, fullName: String = "Jane Doe") -> AppRequest {
    AppRequest(
      "POST", "/api/signup", as: basic, ["full_name": fullName, "email": email, "password": encrypt(password)])
  }

  package func signIn(_ email: String, _ password: String) -> AppRequest {
    AppRequest("POST", "/api/signin", as: basic, ["email": email, "password": encrypt(password)])
  }

  private var basic: String { AppRequest.basic(name, password) }

  // MARK: - With a token

  package func resetPassword(_ token: String?, from old: String, to new: String) -> AppRequest {
    AppRequest(
      "POST", "/api/reset_password", as: Self.field(token),
      ["old_password": encrypt(old), "new_password": encrypt(new)])
  }

  package func upload(_ token: String?, _ image: [UInt8], title: String) -> AppRequest {
    AppRequest(
      "POST", "/api/upload_photo", as: Self.field(token), ["Content-Type: \(MultipartBody.contentType)"],
      body: MultipartBody.upload(image, title: title))
  }

  package func deletePhoto(_ token: String?, _ id: String) -> AppRequest {
    AppRequest("DELETE", "/api/delete_photo", as: Self.field(token), ["photo_id": id])
  }

  package func photos(_ token: String?) -> AppRequest { AppRequest("GET", "/api/get_photos", as: Self.field(token)) }

  package func clear(_ token: String?) -> AppRequest { AppRequest("GET", "/api/clear_token", as: Self.field(token)) }

  package func refresh(_ token: String?) -> AppRequest {
    AppRequest("POST", "/api/refresh_token", as: Self.field(token))
  }

  private static func field(_ token: String?) -> String? { token.map { "Token token=\($0)" } }

  // MARK: - Of the Notes app

  package func notes(_ email: String, _ password: String) -> AppRequest {
    AppRequest("GET", "/notes.json", as: AppRequest.basic(email, password), form: ["token": "token"])
  }

  package func createNote(_ email: String, _ password: String, title: String, body: String) -> AppRequest {
    AppRequest(
      "POST", "/notes.json", as: AppRequest.basic(email, password),
      form: ["token": "token", "note[title]": title, "note[body]": body])
  }

  package func deleteNote(_ email: String, _ password: String, _ id: Int) -> AppRequest {
    AppRequest("DELETE", "/notes/\(id).json", as: AppRequest.basic(email, password), form: ["token": "token"])
  }
}

/// Multipart bodies as the tutorial's app makes them.
package enum MultipartBody {
  package static let boundary = "---------------------------14737809831466499882746641449"
  package static let contentType = "multipart/form-data; boundary=\(boundary)"

  package static func upload(_ image: [UInt8], title: String) -> [UInt8] {
    file("image", filename: "photo", image) + field("title", title) + end
  }

  package static func file(_ name: String, filename: String, _ bytes: [UInt8]) -> [UInt8] {
    Array(
      """
      --\(boundary)\r
      Content-Disposition: attachment; name="\(name)"; filename="\(filename)"\r
      Content-Type: application/octet-stream\r
      \r\n
      """.utf8) + bytes + Array("\r\n".utf8)
  }

  package static func field(_ name: String, _ text: String) -> [UInt8] {
    Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n".utf8)
  }

  package static let end = Array("--\(boundary)--\r\n".utf8)
}
