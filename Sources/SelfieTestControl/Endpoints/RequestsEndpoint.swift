import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/requests`: lists the exchanges that a filter in the query matches.
  func listRequests(_ call: ControlCall) throws -> Response {
    let query = try call.query()
    try query.allow(ExchangeFilter.names + ["limit"])
    let max = Int64(Journal.maxExchanges)
    let limit = try query.integer("limit", in: 0...max) ?? max
    let exchanges = journal.exchanges(matching: try ExchangeFilter(query))
    return .json { json in
      json.member("matched", Int64(exchanges.count))
      json.member("last_id", journal.lastID)
      json.member("requests", array: exchanges.suffix(Int(limit))) { $1.write(to: &$0) }
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
        "The journal has no request of the id \(call.name), or not any more: "
          + "it keeps the newest \(Journal.maxExchanges).")
    }
    return .json { exchange.writeMembers(to: &$0) }
  }

  /// `POST /__admin/requests/count`: how many exchanges a filter matches.
  func countRequests(_ call: ControlCall) async throws -> Response {
    let body = try await call.body()
    try body.allow(ExchangeFilter.names)
    let matched = journal.count(matching: try ExchangeFilter(body))
    return .json { $0.member("matched", Int64(matched)) }
  }

  /// `POST /__admin/requests/verify`: whether a filter matches as many exchanges as expected.
  func verifyRequests(_ call: ControlCall) async throws -> Response {
    let body = try await call.body()
    try body.allow(ExchangeFilter.names + ["exactly", "at_least", "at_most"])
    let expected = try ExchangeCount(body)
    do {
      let matched = try journal.verify(try ExchangeFilter(body), expected)
      return .json { $0.member("matched", Int64(matched)) }
    } catch let mismatch as ExchangeMismatch {
      return .mismatch(mismatch)
    }
  }

  /// `POST /__admin/requests/wait`: waits until a filter matches as many exchanges as asked for.
  func waitForRequests(_ call: ControlCall) async throws -> Response {
    let body = try await call.body()
    try body.allow(ExchangeFilter.names + ["count", "timeout"])
    let count = try body.integer("count", in: 1...Int64(Journal.maxExchanges)) ?? 1
    let timeout = try body.duration("timeout") ?? 5000
    guard (0...Self.maxWait).contains(timeout) else {
      throw body.wrong("timeout", "must be from 0s to \(Self.maxWait / 1000)s")
    }
    do {
      let exchanges = try await journal.exchanges(
        matching: try ExchangeFilter(body), atLeast: Int(count), within: .milliseconds(timeout))
      return .json { json in
        json.member("matched", Int64(exchanges.count))
        json.member("requests", array: exchanges) { $1.write(to: &$0) }
      }
    } catch let mismatch as ExchangeMismatch {
      return .mismatch(mismatch)
    } catch let error as TooManyWaiters {
      throw ControlError(.tooManyRequests, error.description)
    } catch let error as WaitingEnded {
      throw ControlError(.serviceUnavailable, error.description)
    }
  }

  /// Milliseconds. Half of what the server allows a request to take.
  private static let maxWait: Int64 = 60_000
}

extension ExchangeFilter {
  /// The names of the members of a filter, in JSON and in a query.
  fileprivate static let names = ["method", "path", "status", "error", "fault", "since", "parameters", "fields"]

  fileprivate init(_ members: JSONMembers) throws {
    self.init(
      method: try members.text("method")?.uppercased(), path: try members.text("path"),
      status: try members.integer("status", in: 100...999).map(Int.init),
      since: try members.integer("since", in: 0...Int64.max))
    if path?.contains("?") == true {
      throw members.wrong("path", "must be without a query; parameters has a place for what stands there")
    }
    if let path, path.utf8.count > PathPattern.maxBytes {
      throw members.wrong("path", "must have at most \(PathPattern.maxBytes) bytes")
    }
    error = try members.text("error")
    fault = try members.integer("fault", in: 0...Int64.max).map(Int.init)
    parameters = try Self.texts(members, "parameters")
    fields = try Self.texts(members, "fields")
    guard parameters.count + fields.count <= Self.maxTexts else {
      throw ControlError.badRequest("parameters and fields may have \(Self.maxTexts) members together.")
    }
  }

  /// More than a request of any client has. Each one is compared with every exchange.
  private static let maxTexts = 64

  private static func texts(_ members: JSONMembers, _ name: String) throws -> [String: String] {
    guard let value = members.value(name) else { return [:] }
    guard case .object(let object) = value else {
      throw members.wrong(name, "must be an object of names and the texts that must be there")
    }
    return try Dictionary(
      uniqueKeysWithValues: object.map { key, value in
        switch value {
        case .string(let text), .number(let text): return (key, text)
        case .bool(let isTrue): return (key, isTrue ? "true" : "false")
        default: throw members.wrong("\(name).\(key)", "must be a text, a number, true or false")
        }
      })
  }
}

extension ExchangeCount {
  fileprivate init(_ members: JSONMembers) throws {
    let range: ClosedRange<Int64> = 0...1_000_000
    let counts = [
      try members.integer("exactly", in: range).map { ExchangeCount.exactly(Int($0)) },
      try members.integer("at_least", in: range).map { .atLeast(Int($0)) },
      try members.integer("at_most", in: range).map { .atMost(Int($0)) },
    ].compactMap(\.self)
    guard let count = counts.first, counts.count == 1 else {
      throw ControlError.badRequest("Say how many there must be, by one of exactly, at_least and at_most.")
    }
    self = count
  }
}

extension Response {
  fileprivate static func mismatch(_ mismatch: ExchangeMismatch) -> Response {
    .json(.unprocessableContent) { json in
      StatusMessage.write(Status.unprocessableContent.code, mismatch.message, to: &json)
      json.member("matched", Int64(mismatch.matched))
      json.member("near", array: mismatch.near) { $1.write(to: &$0) }
    }
  }
}
