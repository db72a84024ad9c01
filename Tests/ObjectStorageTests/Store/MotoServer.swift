import Foundation
import TestSupport

@testable import ObjectStorage

/// An object store that checks signatures, for all tests of this process. It ends with the process, however that ends.
final class MotoServer: Sendable {
  private struct Ready: Decodable, Sendable {
    let port: Int
    let bucket: String
    let region: String
    let accessKeyID: String
    let secretAccessKey: String
  }

  private static let started = Result { try MotoServer() }

  /// The server, which the first caller starts.
  static func shared() async throws -> MotoServer {
    try await Blocking.run { try started.get() }
  }

  private let program: Program
  /// Its end is the end of the program.
  private let input: ProgramPipe
  private let ready: Ready
  /// Where its log of requests is.
  private let files: TemporaryFolder

  private init() throws {
    files = try TemporaryFolder()
    try files.write("", to: "log")
    let log = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(files.path)/log"))
    input = try ProgramPipe()
    let output = try ProgramPipe()
    program = try PythonPackages.start(
      ["\(checkout)/Tests/ObjectStorageTests/Python/store.py"], input: input.reading, output: output.writing,
      errors: log.fileDescriptor)
    withExtendedLifetime(log) {}
    close(output.writing)
    close(input.reading)
    let line = FileHandle(fileDescriptor: output.reading, closeOnDealloc: true).availableData
    guard let ready = try? JSONDecoder().decode(Ready.self, from: line) else {
      throw NotStarted(log: try files.text(of: "log"))
    }
    self.ready = ready
  }

  func store(secretAccessKey: String? = nil, bucket: String? = nil, threads: Int = 2) throws -> ObjectStore {
    let settings = try ObjectStoreSettings(
      endpoint: "http://127.0.0.1:\(ready.port)", bucket: bucket ?? ready.bucket, region: ready.region,
      accessKeyID: ready.accessKeyID, secretAccessKey: secretAccessKey ?? ready.secretAccessKey)
    return ObjectStore(settings, threads: threads)
  }

  struct NotStarted: Error {
    let log: String
  }
}
