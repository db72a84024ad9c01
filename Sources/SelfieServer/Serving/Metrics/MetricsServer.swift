import HTTPMessages
import HTTPServer
import Platform
import SelfieAPI
import SelfieOperations

// Serves the metrics on an address of their own. `MetricsList` has the metrics, and `Metric` the format of the text.
extension Server {
  private static let metricsPath = "/metrics"

  /// Serves the metrics on an address of their own, with an event loop and a memory budget of their own: they can be read
  /// while the server is busy, or has as many clients as it may have. Takes the port, but clients cannot connect before
  /// `start`.
  ///
  /// Prometheus reads them under whatever name its owner gave this machine, so any Host is taken. A page that another name
  /// leads here (DNS rebinding) could only read what every client that reaches the address can: there is nothing to change
  /// here, and nothing secret.
  static func metrics(at address: ListenAddress, _ source: MetricsSource) throws -> AuxiliaryServer {
    let listener = try Listener(host: address.host, port: address.port, of: "METRICS")
    let server = try Server(
      listener: listener, loopCount: 1, limits: metricsLimits, memory: MemoryBudget(), descriptors: .unlimited,
      responder: Responder(
        respond: { request in
          guard [.get, .head].contains(request.head.method), request.head.path.elementsEqual(metricsPath.utf8) else {
            return metricsError(.notFound, "There is nothing here but GET \(metricsPath).")
          }
          var source = source
          await source.refresh()
          let text = MetricsList.all.map { $0.text(of: source) }.joined()
          return Response(status: .ok, fields: ResponseFields(lines: metricsFields), body: .bytes(Array(text.utf8)))
        },
        refuse: { status, message, _ in metricsError(status, message) }))
    let url = Settings.url("http", host: address.host, port: listener.port) + metricsPath
    return AuxiliaryServer(server: server, url: url)
  }

  /// A few programs read metrics, and they send no bodies.
  private static var metricsLimits: Limits {
    var limits = Limits()
    limits.maxConnections = 16
    limits.maxHead = 8 * 1024
    limits.handlerTimeout = 30_000
    limits.writeTimeout = 10_000
    limits.drainTimeout = 1000
    return limits
  }

  private static let metricsFields: StaticString = """
    Content-Type: text/plain; version=0.0.4; charset=utf-8\r
    Cache-Control: no-store\r\n
    """

  private static func metricsError(_ status: Status, _ message: String) -> Response {
    Response(
      status: status, fields: ResponseFields(lines: "Content-Type: application/json; charset=utf-8\r\n"),
      body: .bytes(StatusMessage.json(status.code, message)))
  }
}

extension Listener {
  /// - Parameter setting: the name of the setting that asks for this address.
  /// - Throws: a `ConfigurationError` that names the setting.
  convenience init(host: String, port: Int, of setting: String) throws(ConfigurationError) {
    do { try self.init(host: host, port: port) } catch { throw ConfigurationError("\(setting): \(error)") }
  }
}
