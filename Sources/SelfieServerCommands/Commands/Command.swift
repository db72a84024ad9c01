import ArgumentParser
import Glibc

/// A command that ends with status 1 and the error's description if it throws, unless it throws an `ExitCode`.
protocol Command: ParsableCommand {
  func execute() throws
}

extension Command {
  func run() throws {
    do {
      try execute()
    } catch let exitCode as ExitCode {
      throw exitCode
    } catch {
      Terminal.writeLines("selfie-server: \(error)", to: STDERR_FILENO)
      throw ExitCode.failure
    }
  }
}
