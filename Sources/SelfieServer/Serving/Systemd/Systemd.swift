import Glibc
import HTTPMessages
import HTTPServer
import Logging
import Platform

/// systemd, if it started this process as a service of `Type=notify` (sd_notify(3)). `ReadyFile` tells other programs
/// that the server is ready.
struct ServiceManager {
  private let address: UnixSocketAddress
  private let logger: Logger

  /// Nil if no process waits for messages.
  init?(logger: Logger) {
    guard let path = SettingSources.environment("NOTIFY_SOCKET") else { return nil }
    let address =
      path.hasPrefix("@")
      ? try? UnixSocketAddress(abstractName: String(path.dropFirst())) : try? UnixSocketAddress(path: path)
    guard path.hasPrefix("/") || path.hasPrefix("@"), let address else {
      logger.warning("NOTIFY_SOCKET is not an address, so systemd is not notified", metadata: ["address": "\(path)"])
      return nil
    }
    self.address = address
    self.logger = logger
  }

  /// - Parameter message: such as `READY=1`.
  func tell(_ message: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    let isSent =
      descriptor >= 0
      && address.withPointer { sendto(descriptor, message, message.utf8.count, Int32(MSG_NOSIGNAL), $0, $1) } >= 0
    guard !isSent else { return }
    let error = SystemError(descriptor < 0 ? "socket" : "sendto")
    logger.warning("systemd could not be notified", metadata: ["message": "\(message)", "error": "\(error)"])
  }
}

extension Listener {
  /// The listening socket that systemd keeps open for this server, so that clients can connect while it restarts
  /// (sd_listen_fds(3)). Nil if no socket was passed to this process.
  static func ofServiceManager() throws -> Listener? {
    // The variables may have been inherited from a process that systemd started.
    guard SettingSources.environment("LISTEN_PID") == "\(getpid())",
      let count = SettingSources.environment("LISTEN_FDS").flatMap(Int.init), count > 0
    else { return nil }
    guard count == 1 else {
      throw ConfigurationError(
        "systemd passes \(count) sockets, but the server accepts only one. Keep one ListenStream in its .socket unit.")
    }
    do throws(ConfigurationError) {
      // systemd passes descriptors from this number on.
      return try Listener(inheriting: 3)
    } catch {
      throw ConfigurationError(
        "The socket from systemd \(error). Its .socket unit needs ListenStream=ADDRESS:PORT and Accept=no.")
    }
  }
}

/// Tells systemd twice in each interval of its watchdog that the event loops work (sd_watchdog_enabled(3)). While one of
/// them hangs it says nothing, and systemd starts the server anew.
struct Watchdog {
  private let hasStopped = Monitor(false)
  private let thread: Thread

  /// Nil if systemd does not watch this process. A pid that is not this process's means that the variables were
  /// inherited.
  init?(of server: Server, _ manager: ServiceManager) throws {
    guard SettingSources.environment("WATCHDOG_PID").map({ $0 == "\(getpid())" }) ?? true,
      let microseconds = SettingSources.environment("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 0
    else { return nil }
    let half = max(1, microseconds / 1000 / 2)
    thread = try Thread(named: "watchdog") { [hasStopped] in
      repeat {
        if server.loopsRespond(within: half) { manager.tell("WATCHDOG=1") }
      } while hasStopped.wait(until: monotonicMilliseconds() + half, for: { $0 ? () : nil }) == nil
    }
  }

  /// Blocks until nothing more will be said.
  func stop() {
    hasStopped.withLock { $0 = true }
    hasStopped.notifyAll()
    thread.join()
  }
}

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
