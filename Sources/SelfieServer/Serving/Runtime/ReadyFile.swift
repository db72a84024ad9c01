import Glibc
import HTTPMessages
import Platform

// Tells the program that started the server how to reach it. `ServiceManager` tells systemd, and StartMessages.swift
// people.
extension Runtime {
  /// Writes a file that tells the program that started the server how to reach it. It is never there in part. If the
  /// server listens on every address, the file names the local one.
  func writeReadyFile(_ path: String) throws(ConfigurationError) {
    let json = JSONWriter.object { json in
      json.member("url", settings.localURL(port: port))
      json.member("port", Int64(port))
      json.member("pid", Int64(getpid()))
      json.member("api_auth_name", key.credentials.name)
      json.member("api_auth_password", key.credentials.password)
      if let credentials = control?.credentials {
        json.member("control_name", credentials.name)
        json.member("control_password", credentials.password)
        json.member("control_url", controlURL ?? settings.localURL(port: port))
      }
    }
    do {
      try FileSystem.replace(path, with: json + [UInt8(ascii: "\n")], isDurable: false)
    } catch {
      throw ConfigurationError("--ready-file: \(path) cannot be written: \(error.reason).")
    }
  }

  /// Removes the file, unless another server has replaced it.
  static func removeReadyFile(_ path: String) {
    let contents = (try? FileSystem.contents(of: path, maxBytes: 64 * 1024)) ?? []
    guard String(decoding: contents, as: UTF8.self).contains("\"pid\":\(getpid()),") else { return }
    unlink(path)
  }
}
