import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The API of a selfie-server, as an app uses it.
public struct SelfieClient: Sendable {
  private let transport: Transport
  /// How a password is encrypted on its way; in the app: `{ AESCrypt.encrypt($0, password: API_AUTH_PASSWORD) }`.
  private let encrypt: @Sendable (String) -> String
  private let basic: String

  /// - Parameters:
  ///   - baseURL: `BASE_URL` of the tutorial, with `/api` at its end.
  ///   - authName: `API_AUTH_NAME`.
  ///   - authPassword: `API_AUTH_PASSWORD`.
  ///   - session: in tests, one that names the test's world.
  public init(
    baseURL: URL, authName: String, authPassword: String, session: URLSession = .shared,
    encrypt: @escaping @Sendable (String) -> String
  ) {
    transport = Transport(baseURL: baseURL, session: session)
    self.encrypt = encrypt
    basic = "Basic " + Data("\(authName):\(authPassword)".utf8).base64EncodedString()
  }

  public func signUp(fullName: String, email: String, password: String) async throws {
    _ = try await transport.send(
      "POST", "signup", authorization: basic,
      json: ["full_name": fullName, "email": email, "password": encrypt(password)])
  }

  public func signIn(email: String, password: String) async throws -> Session {
    let answer = try await transport.send(
      "POST", "signin", authorization: basic, json: ["email": email, "password": encrypt(password)])
    return Session(token: try JSONDecoder().decode(SignedIn.self, from: answer).api_authtoken)
  }

  /// The user's photos, the oldest first.
  public func photos(_ session: Session) async throws -> [Photo] {
    let answer = try await transport.send("GET", "get_photos", authorization: session.authorization)
    return try JSONDecoder().decode([Photo].self, from: answer)
  }

  public func upload(_ image: Data, title: String, _ session: Session) async throws -> Photo {
    let answer = try await transport.send(
      "POST", "upload_photo", authorization: session.authorization, form: PhotoForm(image: image, title: title))
    return try JSONDecoder().decode(Photo.self, from: answer)
  }

  private struct SignedIn: Decodable {
    let api_authtoken: String
  }
}

/// What a user has who has signed in.
public struct Session: Sendable, Equatable {
  public let token: String

  public init(token: String) {
    self.token = token
  }

  var authorization: String { "Token token=\(token)" }
}

public struct Photo: Sendable, Equatable, Decodable {
  public let title: String
  public let image_url: URL
  public let random_id: String
}

public enum SelfieError: Error, Equatable {
  /// The user has to sign in again.
  case sessionExpired
  /// In words for the user.
  case refused(status: Int, message: String)
}
