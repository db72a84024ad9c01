import Glibc
import Logging
import Platform

/// systemd, if it started this process as a service of `Type=notify` (sd_notify(3)).
struct ServiceManager {
  private let address: UnixSocketAddress
  private let logger: Logger

  /// Nil if nobody waits for messages.
  init?(logger: Logger) {
    guard let path = SettingSources.environment("NOTIFY_SOCKET") else { return nil }
    let address =
      path.hasPrefix("@")
      ? try? UnixSocketAddress(abstractName: String(path.dropFirst())) : try? UnixSocketAddress(path: path)
    guard path.hasPrefix("/") || path.hasPrefix("@"), let address else {
      logger.warning("NOTIFY_SOCKET is no address, so systemd learns nothing", metadata: ["address": "\(path)"])
      return nil
    }
    self.address = address
    self.logger = logger
  }

  enum Message: String {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
    case isAlive = "WATCHDOG=1"
  }

  func tell(_ message: Message) {
    do throws(SystemError) {
      try send(message.rawValue)
    } catch {
      logger.warning(
        "systemd could not be told", metadata: ["message": "\(message.rawValue)", "error": "\(error)"])
    }
  }

  private func send(_ text: String) throws(SystemError) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    defer { close(descriptor) }
    let sent = address.withPointer { sendto(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL), $0, $1) }
    guard sent >= 0 else { throw SystemError("sendto") }
  }
}
