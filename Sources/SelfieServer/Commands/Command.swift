import ArgumentParser
import Glibc
import Platform
import SQLite

/// A command that ends with status 1 and the error's description if it throws, unless it throws an `ExitCode`. A
/// command that the server itself carries out is an `OwnerSubcommand`.
protocol Command: ParsableCommand {
  func execute() throws
}

extension Command {
  func run() throws {
    ignoreWriteSignals()
    do {
      try execute()
      if let error = Terminal.failure.withLock({ $0 }), !(self is Serve) {
        throw ConfigurationError(
          "The command was carried out. What it printed is lost: standard output: \(error.reason).")
      }
    } catch let exitCode as ExitCode {
      throw exitCode
    } catch {
      let text = (error as? FileError)?.sentence ?? (error as? SQLiteError)?.inWords ?? "\(error)"
      Terminal.writeLines("selfie-server: \(text)", to: STDERR_FILENO)
      throw ExitCode.failure
    }
  }
}

extension FileError {
  /// The description for somebody who named the file.
  fileprivate var sentence: String {
    guard number == ENOENT else { return description }
    let folder = FileSystem.parent(of: path)
    return FileSystem.isFolder(folder) ? "There is no file \(path)." : "There is no folder \(folder)."
  }
}

/// Ignores the signals of writes that fail. The write then returns an error.
func ignoreWriteSignals() {
  // From a pipe or a socket without a reader.
  signal(SIGPIPE, SIG_IGN)
  // From a file at the size limit (RLIMIT_FSIZE), which is to be treated like a full disk.
  signal(SIGXFSZ, SIG_IGN)
}
