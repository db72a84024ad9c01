import HTTPMessages
import Platform
import SelfieTestControl

// The files of --seed and --export. `World` reads and writes their JSON.
extension Backend {
  /// More than a state that a server exports.
  private static let maxBytes = 128 * 1024 * 1024

  /// Stores what a file has in the main world.
  func seed(from path: String) throws {
    do {
      guard let json = try FileSystem.contents(of: path, maxBytes: Self.maxBytes) else {
        throw ConfigurationError("--seed: There is no file \(path).")
      }
      _ = try Blocking.run { [worlds] in try await worlds?.main.seed(json) }
    } catch let error as FileError {
      throw ConfigurationError("--seed: \(path) cannot be read: \(error.reason).")
    } catch let error as ConfigurationError {
      throw error
    } catch {
      throw ConfigurationError("--seed: \(path): \((error as? ParameterError)?.message ?? "\(error)")")
    }
  }

  /// Writes what the main world has stored, as a seed.
  func export(to path: String) throws {
    do {
      guard let json = try Blocking.run({ [worlds] in try await worlds?.main.exported() }) else { return }
      try FileSystem.replace(path, with: json + [UInt8(ascii: "\n")], isDurable: false)
    } catch let error as FileError {
      throw ConfigurationError("--export: \(path) cannot be written: \(error.reason).")
    } catch {
      throw ConfigurationError("--export: \(path): \(error)")
    }
  }
}
