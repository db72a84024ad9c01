import Foundation
import Glibc
import TestSupport

/// An object store that can be killed, stopped and started again: OpenStack Swift.
final class ClusterStore {
  private let script: String
  private let folder: String
  private let log: String
  private typealias Running = (program: Child, input: ProgramPipe)

  private var running: Running?
  private(set) var address: StoreServer.Access

  init(script: String, folder: String) throws {
    self.script = script
    self.folder = folder
    log = "\(folder).log"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    (running, address) = try Self.start(script, folder, log)
  }

  deinit {
    if let running { close(running.input.writing) }
  }

  /// Its port is another one each time.
  func start() throws {
    if running == nil { (running, address) = try Self.start(script, folder, log) }
  }

  private static func start(_ script: String, _ folder: String, _ log: String) throws -> (Running?, StoreServer.Access)
  {
    let input = try ProgramPipe()
    // Debian's own Python, for its package python3-swift.
    let program = try Child(
      command: ["/usr/bin/python3", script, folder], environment: ["PYTHONPATH": "/usr/lib/python3/dist-packages"],
      input: input.reading, log: log)
    close(input.reading)
    guard let line = program.line(),
      let address = try? JSONDecoder().decode(StoreServer.Access.self, from: Data(line.utf8))
    else {
      throw Violation("the object store does not start (it needs Debian's python3-swift); see \(log)")
    }
    return ((program, input), address)
  }

  /// The sizes of all objects, by the last parts of their keys.
  func objects() throws -> [String: Int] {
    let all = try JSONDecoder().decode([String: Int].self, from: Data(ask("objects").utf8))
    return Dictionary(all.map { (String($0.key.split(separator: "/").last ?? ""), $0.value) }) { first, _ in first }
  }

  /// How many bytes the bucket may have; nil for any number.
  func setQuota(_ bytes: Int?) throws { _ = try ask("quota \(bytes ?? -1)") }

  private func ask(_ question: String) throws -> String {
    guard let running else { throw Violation("the object store does not run") }
    let line = Array("\(question)\n".utf8)
    guard write(running.input.writing, line, line.count) == line.count, let answer = running.program.line() else {
      throw Violation("the object store does not answer; see \(log)")
    }
    return answer
  }

  func signal(_ number: Int32) { running?.program.signal(number) }

  func kill() throws {
    guard let running else { return }
    defer {
      close(running.input.writing)
      self.running = nil
    }
    try running.program.kill()
  }
}
