import Glibc
import HTTPServer
import Platform

/// The listening socket that systemd keeps open for this server, so that clients can connect while it restarts
/// (sd_listen_fds(3)).
enum SocketActivation {
  /// systemd passes descriptors from this number on.
  private static let firstDescriptor: Int32 = 3

  /// Nil if no socket was passed to this process.
  static func listener() throws -> Listener? {
    // The variables may have been inherited from a process that systemd started.
    guard SettingSources.environment("LISTEN_PID") == "\(getpid())",
      let count = SettingSources.environment("LISTEN_FDS").flatMap(Int.init), count > 0
    else { return nil }
    guard count == 1 else {
      throw ConfigurationError(
        "systemd passes \(count) sockets, and the server takes one. Leave one ListenStream in its .socket unit.")
    }
    do throws(ListenError) {
      return try Listener(inheriting: firstDescriptor)
    } catch {
      throw ConfigurationError(
        "The socket from systemd \(error). Its .socket unit needs ListenStream=ADDRESS:PORT and Accept=no.")
    }
  }
}
