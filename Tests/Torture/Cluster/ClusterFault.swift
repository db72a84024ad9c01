import TestSupport

/// Something that goes wrong with a cluster while it serves.
package struct ClusterFault: Sendable, CustomStringConvertible {
  enum Kind {
    // Processes that are killed, and started again.
    case killServers, killStartingServer, killBackend, killPostmaster, killStore
    // Processes that stop for a while.
    case stopServers, stopDatabase, stopBackend, stopStore
    // Connections that end.
    case cutDatabase, cutStore, cutBoth
    /// Between the servers and the database, or only one of them.
    case database(FaultyProxy.Mode, ofOne: Bool)
    case store(FaultyProxy.Mode)
    /// A server reaches nothing.
    case network
    case fullBucket
    case fullDisk
  }

  /// What a request needs.
  enum Place {
    case rows
    case objects
  }

  package let description: String
  let kind: Kind
  /// With which statuses servers may refuse requests, by what those need.
  private let rows: Set<Int>
  private let objects: Set<Int>

  private init(_ description: String, _ kind: Kind, rows: Set<Int> = [], objects: Set<Int> = []) {
    self.description = description
    self.kind = kind
    self.rows = rows
    self.objects = rows.union(objects)
  }

  package var isKill: Bool {
    switch kind {
    case .killServers, .killStartingServer, .killBackend, .killPostmaster, .killStore: true
    default: false
    }
  }

  var isOfServers: Bool { if case .killServers = kind { true } else { false } }

  /// Whether only root may do it.
  package var needsRoot: Bool { if case .fullDisk = kind { true } else { false } }

  /// What an error means under this fault; nil if clients must not be told it.
  func refusal(_ response: RawResponse, needs place: Place) -> Refusal? {
    let status = response.status
    // The balancer's own pages: a server has gone in the middle of a request, or there is none.
    if response["content-type"] == "text/html" { return [502, 503, 504].contains(status) ? .unsure : nil }
    if response.isOutcomeUnknown { return rows.contains(503) && response["retry-after"] != nil ? .unsure : nil }
    // A lock may be held by what a killed server has left.
    if response["x-error"] == "busy" && response.asksForRetry { return .final }
    guard (place == .rows ? rows : objects).contains(status) else { return nil }
    return status != 503 || response.asksForRetry ? .final : nil
  }

  private static func answer(_ status: String, _ code: String) -> FaultyProxy.Mode {
    let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code></Error>"
    let fields = "Content-Type: application/xml\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
    return .respond("HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)")
  }

  package static let all: [ClusterFault] = [
    ClusterFault("servers are killed", .killServers),
    ClusterFault("a starting server is killed", .killStartingServer),
    ClusterFault("a process of PostgreSQL is killed", .killBackend, rows: [503]),
    ClusterFault("PostgreSQL is killed", .killPostmaster, rows: [503]),
    ClusterFault("the object store is killed", .killStore, objects: [503]),
    ClusterFault("servers stop for a while", .stopServers, rows: [503]),
    ClusterFault("PostgreSQL stops for a while", .stopDatabase, rows: [503]),
    ClusterFault("a process of PostgreSQL stops for a while", .stopBackend, rows: [503]),
    ClusterFault("the object store stops for a while", .stopStore, objects: [503]),
    ClusterFault("connections to PostgreSQL are cut", .cutDatabase, rows: [503]),
    ClusterFault("connections to the object store are cut", .cutStore, objects: [503]),
    ClusterFault("connections to both are cut", .cutBoth, rows: [503]),
    ClusterFault("no server reaches PostgreSQL", .database(.hold, ofOne: false), rows: [503]),
    ClusterFault("a server does not reach PostgreSQL", .database(.hold, ofOne: true), rows: [503]),
    ClusterFault("PostgreSQL is slow", .database(.delay(20), ofOne: false), rows: [503]),
    ClusterFault("responses of PostgreSQL are lost", .database(.loseResponses(percent: 5), ofOne: false), rows: [503]),
    ClusterFault("no server reaches the object store", .store(.hold), objects: [503]),
    ClusterFault("the object store is slow", .store(.delay(100)), objects: [503]),
    ClusterFault("responses of the object store are lost", .store(.loseResponses(percent: 30)), objects: [503]),
    ClusterFault(
      "the object store answers 503", .store(answer("503 Service Unavailable", "ServiceUnavailable")), objects: [503]),
    ClusterFault("the object store answers 500", .store(answer("500 Internal Error", "InternalError")), objects: [503]),
    ClusterFault("the object store asks to slow down", .store(answer("503 Slow Down", "SlowDown")), objects: [503]),
    ClusterFault("a server reaches neither PostgreSQL nor the object store", .network, rows: [503]),
    ClusterFault("a full bucket", .fullBucket, objects: [507]),
    ClusterFault("PostgreSQL's disk is full", .fullDisk, rows: [503, 507]),
  ]
}
