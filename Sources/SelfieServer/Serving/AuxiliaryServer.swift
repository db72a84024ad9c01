import HTTPServer

/// A server on a port of its own, besides that of the apps. `Server.controlPort` and `Server.metrics` open them.
struct AuxiliaryServer {
  let server: Server
  /// Where it can be reached.
  let url: String
}
