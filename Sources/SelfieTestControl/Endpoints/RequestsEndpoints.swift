import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/requests`: lists the exchanges that a filter in the query matches.
  func listRequests(_ call: ControlCall) throws -> Response {
    let query = try call.query()
    let filter = try ExchangeFilter(query, besides: ["limit"])
    let max = Int64(Journal.maxExchanges)
    let limit = try query.integer("limit", in: 0...max) ?? max
    return Self.list(journal.exchanges(matching: filter), last: Int(limit), lastID: journal.lastID)
  }

  private static func list(_ exchanges: [Exchange], last limit: Int = .max, lastID: Int64? = nil) -> Response {
    .json { json in
      json.member("matched", Int64(exchanges.count))
      if let lastID { json.member("last_id", lastID) }
      json.member("requests", objects: exchanges.suffix(limit)) { $1.writeMembers(to: &$0) }
    }
  }

  /// `DELETE /__admin/requests`: clears the journal.
  func clearRequests(_ call: ControlCall) -> Response {
    let removed = journal.clear()
    return .json { $0.member("removed", Int64(removed)) }
  }

  /// `GET /__admin/requests/{id}`: one exchange.
  func showRequest(_ call: ControlCall) throws -> Response {
    guard let exchange = Int64(call.name).flatMap(journal.exchange) else {
      throw ControlError(
        .notFound,
        "There is no request with the id \(call.name), or it is no longer kept: "
          + "the server keeps the newest \(Journal.maxExchanges).")
    }
    return .json { exchange.writeMembers(to: &$0) }
  }

  /// `POST /__admin/requests/count`: how many exchanges a filter matches.
  func countRequests(_ call: ControlCall) async throws -> Response {
    let matched = journal.count(matching: try ExchangeFilter(await call.body()))
    return .json { $0.member("matched", Int64(matched)) }
  }

  /// `POST /__admin/requests/verify`: whether a filter matches as many exchanges as expected.
  func verifyRequests(_ call: ControlCall) async throws -> Response {
    let body = try await call.body()
    let filter = try ExchangeFilter(body, besides: ["exactly", "at_least", "at_most"])
    let expected = try Self.expectedCounts(in: body)
    let matched = try journal.verify(filter, expected)
    return .json { $0.member("matched", Int64(matched)) }
  }

  private static func expectedCounts(in body: JSONMembers) throws -> ClosedRange<Int> {
    func count(_ name: String) throws -> Int? { try body.integer(name, in: 0...1_000_000).map(Int.init) }
    switch (try count("exactly"), try count("at_least"), try count("at_most")) {
    case (let count?, nil, nil): return count...count
    case (nil, let least?, nil): return least...Int.max
    case (nil, nil, let most?): return Int.min...most
    default: throw ControlError.invalid("Say how many there must be: pass exactly, at_least or at_most.")
    }
  }

  /// `POST /__admin/requests/wait`: waits until a filter matches as many exchanges as asked for.
  func waitForRequests(_ call: ControlCall) async throws -> Response {
    let body = try await call.body()
    let filter = try ExchangeFilter(body, besides: ["count", "timeout"])
    let count = try body.integer("count", in: 1...Int64(Journal.maxExchanges)) ?? 1
    let timeout = try body.duration("timeout") ?? 5000
    guard (0...Self.maxWait).contains(timeout) else {
      throw body.wrong("timeout", "must be from 0s to \(Self.maxWait / 1000)s")
    }
    return Self.list(
      try await journal.exchanges(matching: filter, atLeast: Int(count), within: .milliseconds(timeout)))
  }

  /// Milliseconds. Half of what the server allows a request to take.
  private static let maxWait: Int64 = 60_000

  /// `GET /__admin/requests/events`: exchanges as server-sent events (HTML Living Standard §9.2).
  ///
  /// A response has the exchanges after the last one that the client knows, and then ends. If there are none, it waits
  /// for the next one, for a while. The client asks again, as a browser's EventSource does, and names the last
  /// id. So an open page holds one request, like every other client that waits. Where too many wait, the oldest of these
  /// responses ends, without an event: its page may have been closed.
  func streamRequests(_ call: ControlCall) async throws -> Response {
    let query = try call.query()
    try query.allow(["since"])
    let since = try query.integer("since", in: 0...Int64.max)
    let last = call.request.head.fields.text(Self.lastEventID).flatMap { Int64($0) }
    // A browser repeats its address with every request, so what it has seen last counts more.
    let filter = ExchangeFilter(since: last ?? since ?? journal.lastID)
    var text = Array("retry: 50\n\n".utf8)
    do {
      for exchange in try await journal.exchanges(
        matching: filter, atLeast: 1, within: Self.eventWait, givesWay: true)
      {
        text += "id: \(exchange.id)\nevent: request\ndata: ".utf8
        text += JSONWriter.object { exchange.writeMembers(to: &$0) }
        text += "\n\n".utf8
      }
    } catch is ExchangeMismatch {
      // There was none.
    }
    return Response(
      status: .ok, fields: ResponseFields(lines: "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"),
      body: .bytes(text))
  }

  /// The wait of a page that was closed goes on until this ends.
  private static let eventWait = Duration.seconds(15)
  private static let lastEventID = FieldName("last-event-id")
}

extension ExchangeFilter {
  /// More than a request of any client has. Each one is compared with every exchange.
  private static let maxTexts = 64

  /// - Parameter others: the names of members that are not the filter's.
  fileprivate init(_ members: JSONMembers, besides others: [String] = []) throws {
    try members.allow(["method", "path", "status", "error", "fault", "since", "parameters", "fields"] + others)
    self.init(
      method: try members.text("method")?.uppercased(), path: try members.text("path"),
      status: try members.integer("status", in: 100...999).map(Int.init),
      since: try members.integer("since", in: 0...Int64.max))
    if path?.contains("?") == true {
      throw members.wrong("path", "must not have a query: pass its parameters in parameters")
    }
    if let path, path.utf8.count > PathPattern.maxBytes {
      throw members.wrong("path", "must have at most \(PathPattern.maxBytes) bytes")
    }
    error = try members.text("error")
    fault = try members.integer("fault", in: 0...Int64.max).map(Int.init)
    parameters = try Self.texts(members, "parameters")
    fields = try Self.texts(members, "fields")
    guard parameters.count + fields.count <= Self.maxTexts else {
      throw ControlError.invalid("parameters and fields can have at most \(Self.maxTexts) members together.")
    }
  }

  private static func texts(_ members: JSONMembers, _ name: String) throws -> [String: String] {
    guard let object = try members.object(name, "must be an object with names and the values to look for") else {
      return [:]
    }
    return try object.texts("must be a string, a number, true or false", \.text)
  }
}
