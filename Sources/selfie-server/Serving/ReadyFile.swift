import Glibc
import Platform
import SelfieAPI

/// Where the server is, told to a program.
struct ReadyFile {
  let path: String

  /// What another server has left there would be taken for this one's.
  func clear() {
    unlink(path)
  }

  /// Writes the file; there is always either nothing or the whole of it.
  ///
  /// - Parameter host: where the server listens; its own machine is told one address of several.
  func write(host: String, port: Int, _ credentials: Credentials) throws(ConfigurationError) {
    let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
    let json = WireJSON.object { json in
      json.member("url", Settings.url(host: host, port: port))
      json.member("port", Int64(port))
      json.member("pid", Int64(getpid()))
      json.member("api_auth_name", credentials.name)
      json.member("api_auth_password", credentials.password)
    }
    do {
      try FileSystem.replace(path, with: json + [UInt8(ascii: "\n")])
    } catch {
      throw ConfigurationError("--ready-file: \(path) cannot be written: \(error.reason).")
    }
  }

  /// Removes it, unless it is another server's by now.
  func remove() {
    let contents = (try? FileSystem.contents(of: path, maxBytes: 64 * 1024)) ?? []
    guard String(decoding: contents, as: UTF8.self).contains("\"pid\":\(getpid()),") else { return }
    unlink(path)
  }
}
