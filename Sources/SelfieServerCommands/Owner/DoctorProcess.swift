import Glibc
import Platform
import SelfieAPI

/// Runs `selfie-server doctor` for the owner's page, one at a time, while the server runs.
///
/// It is a process of its own because SQLite's locks belong to a process: if the server itself closed any descriptor of
/// the database's file, it would lose them. Of a cluster, it takes memory and connections of its own.
///
/// It is told by arguments where the storage is, and by its environment, which only its user can read, where the
/// database and the objects of a cluster are. It is given no other settings: no secret is among its arguments, and no
/// mistake in the settings of another command keeps it from starting.
final class DoctorProcess: Sendable {
  private struct State {
    var isRunning = false
    var isStopped = false
    var child: ChildProcess?
    var thread: Thread?
  }

  /// As long as a database of some gigabytes takes on a slow disk.
  private static let maxSeconds: Int64 = 600
  private static let maxFindings = 50
  /// Far more than so many findings and failures have.
  private static let maxBytes = 1024 * 1024
  /// It gives way to the server.
  private static let niceness = 10

  private let arguments: [String]
  private let variables: [String]
  private let executable: String
  private let state = Monitor(State())

  /// - Parameters:
  ///   - storage: the folder of the server.
  ///   - cluster: the settings that name a cluster's database and objects, as variables of an environment.
  ///   - executable: this program; it may have been replaced on the disk by another version.
  init(storage: String, cluster: [String] = [], executable: String = "/proc/self/exe") {
    arguments = [
      "selfie-server", "doctor", "--quick", "--json", "--max-findings", "\(Self.maxFindings)", "--exit-with-parent",
      "--config", "/dev/null", "--storage-dir", storage,
    ]
    variables = cluster
    self.executable = executable
  }

  /// Checks the storage, and returns the command's JSON.
  func report() async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try start { continuation.resume(with: $0) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Ends the check if one runs. None starts after that.
  func stop() {
    let thread = state.withLock { state in
      state.isStopped = true
      state.child?.kill()
      defer { state.thread = nil }
      return state.thread
    }
    thread?.join()
  }

  private func start(_ end: @escaping @Sendable (Result<[UInt8], any Error>) -> Void) throws {
    try state.withLock { state in
      guard !state.isRunning, !state.isStopped else { throw DoctorFailure("Another check runs, or the server stops.") }
      // It has ended: after `isRunning` it uses this state no more.
      state.thread?.join()
      state.thread = nil
      // The child inherits the thread's niceness.
      state.thread = try Thread(named: "doctor", niceness: Self.niceness) { [self] in
        let result = Result { try run() }
        self.state.withLock { ($0.isRunning, $0.child) = (false, nil) }
        end(result)
      }
      state.isRunning = true
    }
  }

  private func run() throws -> [UInt8] {
    let child = try state.withLock { state in
      guard !state.isStopped else { throw DoctorFailure("The server stops.") }
      let child = try ChildProcess(
        executable, arguments, environment: SettingSources.environmentWithoutSettings() + variables)
      state.child = child
      return child
    }
    let (output, end) = child.run(maxSeconds: Self.maxSeconds, maxBytes: Self.maxBytes)
    switch end {
    // In order, not in order, and not wholly checked.
    case .exited(0...2) where !output.isEmpty: return output
    case .exited(let status): throw DoctorFailure("It ended with status \(status) and without a report.")
    case .killed: throw DoctorFailure("It was killed.")
    case .tooSlow: throw DoctorFailure("It was ended after \(Self.maxSeconds / 60) minutes.")
    case .tooMuch: throw DoctorFailure("It printed more than \(ByteSize.text(Int64(Self.maxBytes))), and was ended.")
    }
  }
}

private struct DoctorFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
