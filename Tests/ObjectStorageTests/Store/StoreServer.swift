import Foundation
import TestSupport
import Testing

@testable import ObjectStorage

/// An object store that checks signatures, for all tests of this process. It ends with the process, however that ends.
final class StoreServer: Sendable {
  /// Who wrote it.
  enum Product: CaseIterable, Sendable {
    case moto
    /// OpenStack Swift.
    case swift

    static let installed = allCases.filter(\.python.isComplete)

    var python: PythonInterpreter {
      switch self {
      case .moto: .ofPyPI
      case .swift: .ofDebian
      }
    }

    fileprivate var script: String { "\(self)_store.py" }

    /// The server, which the first caller starts.
    fileprivate func server() throws -> StoreServer {
      switch self {
      case .moto: try StoreServer.moto.get()
      case .swift: try StoreServer.swift.get()
      }
    }

    /// A store of objects on it, with other settings than the server's own where they are given.
    func store(
      region: String? = nil, accessKeyID: String? = nil, secretAccessKey: String? = nil, bucket: String? = nil,
      threads: Int = 2, clock: RetryClock = .system
    ) async throws -> ObjectStore {
      let ready = try await Blocking.run { try server().ready }
      let settings = try ObjectStoreSettings(
        endpoint: "http://127.0.0.1:\(ready.port)", bucket: bucket ?? ready.bucket, region: region ?? ready.region,
        accessKeyID: accessKeyID ?? ready.accessKeyID, secretAccessKey: secretAccessKey ?? ready.secretAccessKey)
      return ObjectStore(settings, threads: threads, clock: clock)
    }
  }

  private struct Ready: Decodable, Sendable {
    let port: Int
    let bucket: String
    let region: String
    let accessKeyID: String
    let secretAccessKey: String
  }

  private static let moto = Result { try StoreServer(.moto) }
  private static let swift = Result { try StoreServer(.swift) }

  private let program: Program
  /// Its end is the end of the program.
  private let input: ProgramPipe
  private let ready: Ready
  /// Where its log is.
  private let files: TemporaryFolder

  private init(_ product: Product) throws {
    files = try TemporaryFolder()
    try files.write("", to: "log")
    let log = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(files.path)/log"))
    input = try ProgramPipe()
    let output = try ProgramPipe()
    program = try product.python.start(
      product.script, input: input.reading, output: output.writing, errors: log.fileDescriptor)
    withExtendedLifetime(log) {}
    close(output.writing)
    close(input.reading)
    let line = FileHandle(fileDescriptor: output.reading, closeOnDealloc: true).availableData
    guard let ready = try? JSONDecoder().decode(Ready.self, from: line) else {
      throw NotStarted(log: try files.text(of: "log"))
    }
    self.ready = ready
  }

  struct NotStarted: Error {
    let log: String
  }
}
