import HTTPMessages
import Pages
import SelfieAPI
import SelfieTestDocuments

// The endpoints of recorded requests. `Journal` keeps and finds the requests, and Mismatch.swift explains a failed check.
extension World {
  /// `GET /__admin/requests`: lists the exchanges that a filter in the query matches.
  func listRequests(_ call: ControlCall) async throws -> Response {
    let query = try call.query(Joined<ExchangeFilter, ListLimit>.self)
    try query.first.validate()
    let most = try query.limit.checked("limit", 0...journal.size) ?? journal.size
    let tally = journal.tally(of: query.first)
    let ended = tally.matching.filter { !$0.isUnderWay }
    let list = ExchangeList(
      matched: ended.count, lastID: tally.lastID, requests: ended.suffix(most),
      underWay: tally.matching.filter(\.isUnderWay) + tally.open, lost: tally.loss?.lost ?? 0)
    return await Response.json(list, writesNull: true).compressed(for: call.request, by: application.lists)
  }

  /// `DELETE /__admin/requests`: clears the journal.
  func clearRequests(_ call: ControlCall) -> Response { .json(Removed(journal.clear())) }

  /// `GET /__admin/requests/{id}`: one exchange.
  func showRequest(_ call: ControlCall) throws -> Response {
    guard let exchange = Int64(call.name).flatMap(journal.exchange) else {
      throw ControlError(
        .notFound,
        "There is no request with the id \(call.name), or it is no longer kept: "
          + "the server keeps the newest \(journal.size).")
    }
    return .json(exchange, writesNull: true)
  }

  /// `POST /__admin/requests/count`: how many exchanges a filter matches.
  func countRequests(_ call: ControlCall) async throws -> Response {
    let filter: ExchangeFilter = try await call.body()
    try filter.validate()
    return .json(["matched": try await journal.exactCount(of: filter)])
  }

  /// `GET /__admin/requests/events`: exchanges as server-sent events (HTML Living Standard §9.2).
  ///
  /// A response has the exchanges after the last one that the client knows, and then ends. If there are none, it waits
  /// for the next one, for a while. The client asks again, as a browser's EventSource does, and names the last
  /// id. So an open page holds one request, like every other client that waits. Where too many wait, the oldest of these
  /// responses ends, without an event: its page may have been closed.
  func streamRequests(_ call: ControlCall) async throws -> Response {
    let since = try call.query(EventQuery.self).since.checked("since", 0...Int64.max)
    let last = call.request.head.fields.text(Self.lastEventID).flatMap { Int64($0) }
    // A browser repeats its address with every request, so what it has seen last counts more.
    let filter = ExchangeFilter(since: last ?? since ?? journal.lastID)
    var text = Array("retry: 50\n\n".utf8)
    do {
      for exchange in try await journal.exchanges(
        matching: filter, atLeast: 1, within: Self.eventWait, givesWay: true)
      {
        text += "id: \(exchange.id)\nevent: request\ndata: ".utf8
        text += try JSONWriter.encode(exchange, writesNull: true)
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

extension Worlds {
  /// `POST /__admin/requests/verify`: whether a filter matches as many exchanges as expected, or exchanges came in an
  /// order.
  func verifyRequests(in world: World, _ call: ControlCall) async throws -> Response {
    let members = try await call.members()
    guard members["order"] == nil else {
      return try await verify(order: ControlCall.document(ExpectedOrder.self, of: members).order, in: world)
    }
    let body: Joined<ExchangeFilter, ExpectedCount> = try ControlCall.document(of: members)
    try body.first.validate()
    let range = try body.second.range
    return try await explaining(body.first, in: world) {
      .json(["matched": try await world.journal.verify(body.first, range)])
    }
  }

  private func verify(order: [ExchangeFilter], in world: World) async throws -> Response {
    var problems = Problems()
    if !(1...Self.maxOrder).contains(order.count) { problems.add("order must have 1 to \(Self.maxOrder) elements.") }
    for (index, filter) in order.enumerated() { filter.validate(at: "order[\(index)].", &problems) }
    try problems.check()
    return try await explaining(order[0], in: world) {
      try await world.journal.verify(order: order)
      return .json(["matched": order.count])
    }
  }

  /// Each filter is compared with every exchange.
  private static let maxOrder = 100

  /// `POST /__admin/requests/wait`: waits until a filter matches as many exchanges as asked for.
  func waitForRequests(in world: World, _ call: ControlCall) async throws -> Response {
    let body: Joined<ExchangeFilter, AwaitedCount> = try await call.body()
    try body.first.validate()
    let count = try body.count.checked("count", 1...world.journal.size) ?? 1
    let timeout = body.timeout?.milliseconds ?? 5000
    guard (0...Self.maxWait).contains(timeout) else {
      throw ControlError.invalid("timeout must be from 0s to \(Self.maxWait / 1000)s.")
    }
    return try await explaining(body.first, in: world) {
      let exchanges = try await world.journal.exchanges(
        matching: body.first, atLeast: count, within: .milliseconds(timeout))
      return .json(ExchangeList(matched: exchanges.count, requests: exchanges), writesNull: true)
    }
  }

  /// Milliseconds. Half of what the server allows a request to take.
  private static let maxWait: Int64 = 60_000
}

/// How many exchanges a list has at most, the newest.
private struct ListLimit: Codable { let limit: Int? }

/// The exchange after which the events begin.
private struct EventQuery: Decodable { let since: Int64? }

extension ExchangeFilter {
  /// - Throws: `ControlError` with everything that is wrong.
  fileprivate func validate() throws(ControlError) {
    var problems = Problems()
    validate(at: "", &problems)
    try problems.check()
  }

  /// - Parameter place: where it stands in its document, with a dot after it; empty if its members stand there.
  fileprivate func validate(at place: String, _ problems: inout Problems) {
    if let method, Method(method.uppercased()) == .other {
      problems.add("\(place)method must be one that the server knows, such as GET, POST or DELETE; it is \(method).")
    }
    if let path, path.first != "/", path.first != "*" {
      problems.add("\(place)path must begin with / or *, as in /api/signin or /photos/*; it is \(path).")
    }
    if path?.contains("?") == true {
      problems.add("\(place)path must not have a query: pass its parameters in parameters.")
    }
    if let status, !(100...999).contains(status) {
      problems.add("\(place)status must be a whole number from 100 to 999.")
    }
    if let path, path.utf8.count > PathPattern.maxBytes {
      problems.add("\(place)path must have at most \(PathPattern.maxBytes) bytes.")
    }
    condition.validate(at: place, &problems)
  }
}

extension ExpectedCount {
  fileprivate var range: ClosedRange<Int> {
    get throws(ControlError) {
      let most = 1_000_000
      return
        switch (
          try exactly.checked("exactly", 0...most), try atLeast.checked("at_least", 0...most),
          try atMost.checked("at_most", 0...most)
        )
      {
      case (let count?, nil, nil): count...count
      case (nil, let least?, nil): least...Int.max
      case (nil, nil, let most?): Int.min...most
      default: throw .invalid("Say how many there must be: pass exactly, at_least or at_most.")
      }
    }
  }
}

extension Optional where Wrapped: BinaryInteger {
  fileprivate func checked(_ name: String, _ range: ClosedRange<Wrapped>) throws(ControlError) -> Wrapped? {
    guard let self, !range.contains(self) else { return self }
    throw .invalid("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
  }
}
