import Glibc
import HTTPMessages
import Platform

/// A file that tells the program that started the server how to reach it. `ServiceManager` tells systemd.
struct ReadyFile {
  let path: String

  /// Removes the file of an earlier server, which would be taken for this one's.
  func clear() {
    unlink(path)
  }

  /// Writes the file. It is never there in part.
  ///
  /// - Parameters:
  ///   - settings: have the host on which the server listens. If that is every address, the file names the local one.
  ///   - control: the credentials of the control interface; nil if it is off.
  func write(
    _ settings: Settings, port: Int, _ credentials: Credentials, control: Credentials?
  ) throws(ConfigurationError) {
    let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][settings.host] ?? settings.host
    let json = JSONWriter.object { json in
      json.member("url", settings.url(host: host, port: port))
      json.member("port", Int64(port))
      json.member("pid", Int64(getpid()))
      json.member("api_auth_name", credentials.name)
      json.member("api_auth_password", credentials.password)
      if let control {
        json.member("control_name", control.name)
        json.member("control_password", control.password)
      }
    }
    do {
      try FileSystem.replace(path, with: json + [UInt8(ascii: "\n")], isDurable: false)
    } catch {
      throw ConfigurationError("--ready-file: \(path) cannot be written: \(error.reason).")
    }
  }

  /// Removes the file, unless another server has replaced it.
  func remove() {
    let contents = (try? FileSystem.contents(of: path, maxBytes: 64 * 1024)) ?? []
    guard String(decoding: contents, as: UTF8.self).contains("\"pid\":\(getpid()),") else { return }
    unlink(path)
  }
}
