import HTTPMessages
import HTTPServer
import Logging
import Platform
import SelfieAPI

/// Serves the metrics on an address of their own, with an event loop and a memory budget of their own: they can be read
/// while the server is busy, or has as many clients as it may have. `MetricsList` has the metrics.
///
/// Prometheus reads them under whatever name its owner gave this machine, so any Host is taken. A page that another name
/// leads here (DNS rebinding) could only read what every client that reaches the address can: there is nothing to change
/// here, and nothing secret.
struct MetricsServer {
  let server: Server
  private let url: String

  private static let path = "/metrics"

  /// Takes the port. Clients cannot connect before `start`.
  init(_ address: ListenAddress, _ source: MetricsSource) throws {
    let listener = try Listener(host: address.host, port: address.port, of: "METRICS", address)
    url = Settings.url("http", host: address.host, port: listener.port) + Self.path
    server = try Server(
      listener: listener, loopCount: 1, limits: Self.limits, memory: MemoryBudget(),
      responder: Responder(
        respond: { request in
          guard [.get, .head].contains(request.head.method), request.head.path.elementsEqual(Self.path.utf8) else {
            return Self.error(.notFound, "There is nothing here but GET \(Self.path).")
          }
          var source = source
          await source.refresh()
          let text = MetricsList.all.map { $0.text(of: source) }.joined()
          return Response(status: .ok, fields: ResponseFields(lines: Exposition.fields), body: .bytes(Array(text.utf8)))
        },
        refuse: { status, message, _, _ in Self.error(status, message) }))
  }

  func log(to logger: Logger) {
    logger.info("metrics can be read by anyone who reaches this address", metadata: ["address": "\(url)"])
  }

  /// A few programs read metrics, and they send no bodies.
  private static var limits: Limits {
    var limits = Limits()
    limits.maxConnections = 32
    limits.maxHead = 8 * 1024
    limits.handlerTimeout = 30_000
    limits.writeTimeout = 10_000
    limits.drainTimeout = 1000
    return limits
  }

  private static func error(_ status: Status, _ message: String) -> Response {
    Response(
      status: status, fields: ResponseFields(lines: "Content-Type: application/json; charset=utf-8\r\n"),
      body: .bytes(StatusMessage.json(status.code, message)))
  }
}
