import HTTPServer
import Logging
import Platform
import SelfieOperations

/// Serves the owner's commands through `control.sock`, on an event loop of its own: a server that is busy, or that has
/// as many clients as it may have, still obeys its owner.
struct OwnerServer {
  private let server: Server
  private let socket: ControlSocket

  /// Nil if there can be no socket. The server then serves without it, since there are file systems that take none.
  init?(storage: String, interface: OwnerInterface, memory: MemoryBudget, logger: Logger) {
    socket = ControlSocket(storage: storage)
    do {
      try socket.removeStale()
      server = try Server(
        listener: Listener(unixSocket: socket.path), loopCount: 1, memory: memory,
        responder: Responder(
          respond: interface.respond, refuse: interface.refuse, endOfTurn: interface.endOfTurn))
      try server.start()
    } catch {
      logger.warning(
        "the owner's commands cannot reach this server", metadata: ["socket": "\(socket.path)", "error": "\(error)"])
      return nil
    }
  }

  /// Finishes the commands under way. Blocks until then.
  func stop() {
    _ = try? FileSystem.remove(socket.path)
    server.stop()
  }
}
