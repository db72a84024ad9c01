import Cryptography
import Foundation
import FoundationNetworking
import Synchronization

/// The tutorial's `HTTPHelper.swift` in today's Swift. Its requests have the very bytes of the original's, and its
/// answers are taken by the original's rules, of which `Completion` keeps what the app would have done.
struct HTTPHelper: Sendable {
  enum HTTPRequestAuthType {
    case httpBasicAuth, httpTokenAuth
  }

  enum HTTPRequestContentType {
    case httpJSONContent, httpMultipartContent
  }

  /// What became of `sendRequest(_:completion:)`'s completion.
  enum Completion {
    case success(Data)
    case failure(status: Int, message: String, headers: [String: String])
    /// The completion is never called: the spinner turns for ever.
    case neverCalled(status: Int, body: String)
    /// `getErrorMessage` reads `message` with `as!`.
    case crashed(status: Int, body: String)
    /// There was no response; the app shows the system's description.
    case noAnswer(any Error)
  }

  var apiAuthName: String
  var apiAuthPassword: String
  let baseURL: String
  /// What the app keeps: the API's token, when it expires.
  let keychain = Keychain()
  private let loader = Loader()

  init(apiAuthName: String, apiAuthPassword: String, baseURL: String) {
    self.apiAuthName = apiAuthName
    self.apiAuthPassword = apiAuthPassword
    self.baseURL = baseURL
  }

  func buildRequest(
    _ path: String, method: String, authType: HTTPRequestAuthType,
    requestContentType: HTTPRequestContentType = .httpJSONContent, requestBoundary: String = ""
  ) throws -> URLRequest {
    var request = URLRequest(url: try url("\(baseURL)/\(path)"))
    request.httpMethod = method
    switch requestContentType {
    case .httpJSONContent:
      request.addValue("application/json", forHTTPHeaderField: "Content-Type")
    case .httpMultipartContent:
      request.addValue("multipart/form-data; boundary=\(requestBoundary)", forHTTPHeaderField: "Content-Type")
    }
    switch authType {
    case .httpBasicAuth:
      let encoded = Data("\(apiAuthName):\(apiAuthPassword)".utf8).base64EncodedString()
      request.addValue("Basic \(encoded)", forHTTPHeaderField: "Authorization")
    case .httpTokenAuth:
      if let userToken = keychain["Auth_Token"] {
        request.addValue("Token token=\(userToken)", forHTTPHeaderField: "Authorization")
      }
    }
    return request
  }

  func uploadRequest(_ path: String, data: Data, title: String) throws -> URLRequest {
    let boundary = "---------------------------14737809831466499882746641449"
    var request = try buildRequest(
      path, method: "POST", authType: .httpTokenAuth, requestContentType: .httpMultipartContent,
      requestBoundary: boundary)
    var body = Data()
    body += Data("--\(boundary)\r\n".utf8)
    body += Data("Content-Disposition: attachment; name=\"image\"; filename=\"photo\"\r\n".utf8)
    body += Data("Content-Type: application/octet-stream\r\n\r\n".utf8)
    body += data
    body += Data("\r\n".utf8)
    body += Data("--\(boundary)\r\n".utf8)
    body += Data("Content-Disposition: form-data; name=\"title\"\r\n\r\n".utf8)
    body += Data(title.utf8)
    body += Data("\r\n".utf8)
    body += Data("--\(boundary)--\r\n".utf8)
    request.httpBody = body
    return request
  }

  func sendRequest(_ request: URLRequest) async -> Completion {
    let (data, response): (Data, HTTPURLResponse)
    do {
      (data, response) = try await loader.load(request)
    } catch {
      return .noAnswer(error)
    }
    let status = response.statusCode
    if status == 200 { return .success(data) }
    let text = String(decoding: data, as: UTF8.self)
    guard let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) as? [String: Any]
    else { return .neverCalled(status: status, body: text) }
    guard let message = object["message"] as? String else { return .crashed(status: status, body: text) }
    return .failure(status: status, message: message, headers: response.fields)
  }

  /// `NSURLConnection.sendAsynchronousRequest` of an image's address: no credentials.
  func download(_ address: String) async throws -> (status: Int, data: Data, headers: [String: String]) {
    let (data, response) = try await loader.load(URLRequest(url: try url(address)))
    return (response.statusCode, data, response.fields)
  }

  /// `AESCrypt.encrypt(_:password:)` with the API's password.
  func encrypt(_ password: String) -> String {
    AESCrypt(password: Array(apiAuthPassword.utf8)).encrypt(Array(password.utf8))
  }

  private func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }
}

/// Stands for the app's `KeychainAccess`.
final class Keychain: Sendable {
  private let entries = Mutex<[String: String]>([:])

  subscript(account: String) -> String? {
    get { entries.withLock { $0[account] } }
    set { entries.withLock { $0[account] = newValue } }
  }
}
