import Foundation

/// An object store that checks signatures, for all tests of this process. It ends with the process, however that ends.
package final class StoreServer: Sendable {
  /// Who wrote it.
  package enum Product: CaseIterable, Sendable {
    case moto
    /// OpenStack Swift.
    case swift

    package static let installed = allCases.filter(\.python.isComplete)

    package var python: PythonInterpreter {
      switch self {
      case .moto: .ofPyPI
      case .swift: .ofDebian
      }
    }

    fileprivate var script: String { "\(self)_store.py" }

    /// The server, which the first caller starts. Blocks.
    package func server() throws -> StoreServer {
      switch self {
      case .moto: try StoreServer.moto.get()
      case .swift: try StoreServer.swift.get()
      }
    }
  }

  /// Where it is, and who may use it.
  package struct Access: Decodable, Sendable {
    package let port: Int
    package let bucket: String
    package let region: String
    package let accessKeyID: String
    package let secretAccessKey: String

    package var endpoint: String { "http://127.0.0.1:\(port)" }
  }

  private static let moto = Result { try StoreServer(.moto) }
  private static let swift = Result { try StoreServer(.swift) }

  private let program: Program
  /// Its end is the end of the program.
  private let input: ProgramPipe
  package let access: Access
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
    guard let access = try? JSONDecoder().decode(Access.self, from: line) else {
      throw NotPossible(try files.text(of: "log"))
    }
    self.access = access
  }
}
