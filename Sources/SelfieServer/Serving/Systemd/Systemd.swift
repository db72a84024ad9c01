import Glibc
import HTTPServer
import Logging
import Platform

/// Talks to systemd, if it started this process as a service of `Type=notify` (sd_notify(3)), and takes over its
/// socket. ReadyFile.swift tells other programs that the server is ready.
struct ServiceManager {
  private let address: UnixSocketAddress
  private let logger: Logger
  private let hasStopped = Monitor(false)
  private let watchdog = Monitor<Thread?>(nil)

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

  /// Says twice in each interval of systemd's watchdog that the event loops work (sd_watchdog_enabled(3)). While one of
  /// them hangs it says nothing, and systemd starts the server anew. A pid that is not this process's means that the
  /// variables were inherited.
  func watch(_ server: Server) throws {
    guard SettingSources.environment("WATCHDOG_PID").map({ $0 == "\(getpid())" }) ?? true,
      let microseconds = SettingSources.environment("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 0
    else { return }
    let half = max(1, microseconds / 1000 / 2)
    let thread = try Thread(named: "watchdog") { [self] in
      repeat {
        if server.loopsRespond(within: half) { tell("WATCHDOG=1") }
      } while hasStopped.wait(until: monotonicMilliseconds() + half, for: { $0 ? () : nil }) == nil
    }
    watchdog.withLock { $0 = thread }
  }

  /// Says that the server stops. Blocks until the watchdog will say nothing more.
  func stop() {
    tell("STOPPING=1")
    hasStopped.withLock { $0 = true }
    hasStopped.notifyAll()
    watchdog.withLock { $0.take() }?.join()
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
