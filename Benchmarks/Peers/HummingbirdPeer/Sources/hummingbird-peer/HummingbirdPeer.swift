import Foundation
import Hummingbird
import Logging
import NIOPosix

/// `hummingbird-peer PORT FOLDER`: health, get_photos, upload_photo (of bare bytes, without the multipart) and
/// the photos' files.
@main
struct HummingbirdPeer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let port = Int(arguments[1]) else {
      print("usage: hummingbird-peer PORT FOLDER")
      exit(2)
    }
    let folder = arguments[2]
    try FileManager.default.createDirectory(atPath: "\(folder)/photos", withIntermediateDirectories: true)
    let store = try Store(folder: folder, port: port)
    var logger = Logger(label: "hummingbird-peer")
    logger.logLevel = .critical
    let router = Router()
    router.get("up") { _, _ in "up" }
    router.get("api/get_photos") { request, _ in
      guard let token = token(of: request), let photos = try store.photos(token: token) else {
        throw HTTPError(.unauthorized)
      }
      return photos
    }
    router.post("api/upload_photo") { request, _ in
      guard let token = token(of: request), let userID = try store.userID(token: token) else {
        throw HTTPError(.unauthorized)
      }
      let id = randomID()
      try await keep(request.body, path: "\(folder)/photos/\(id)")
      guard let photo = try await store.insert(id, port: port, userID: userID) else {
        throw HTTPError(.internalServerError)
      }
      return photo
    }
    router.add(middleware: FileMiddleware(folder, logger: logger))
    let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
    try await Application(router: router, configuration: configuration, logger: logger).runService()
  }

  private static func token(of request: Request) -> String? {
    guard let field = request.headers[.authorization], field.hasPrefix("Token token=") else { return nil }
    return String(field.dropFirst("Token token=".count))
  }

  private static func randomID() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return String((0..<41).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// Returns when the body is on the disk.
  private static func keep(_ body: RequestBody, path: String) async throws {
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    guard file >= 0 else { throw HTTPError(.internalServerError) }
    for try await chunk in body {
      _ = chunk.withUnsafeReadableBytes { write(file, $0.baseAddress, $0.count) }
    }
    try await NIOThreadPool.singleton.runIfActive {
      fsync(file)
      close(file)
    }
  }
}
