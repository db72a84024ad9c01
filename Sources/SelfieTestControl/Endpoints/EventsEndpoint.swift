import HTTPMessages
import Platform
import SelfieAPI

extension World {
  /// `GET /__admin/requests/events`: exchanges as server-sent events (HTML Living Standard §9.2).
  ///
  /// A response has the exchanges after the last one that the client knows, and then ends. If there are none, it waits
  /// for the next one, for a while. The client asks again, as a browser's EventSource does by itself, and names the last
  /// id. So an open page holds one request, like every other client that waits. Where too many wait, the oldest of these
  /// responses ends, without an event: its page may have been closed.
  func streamRequests(_ call: ControlCall) async throws -> Response {
    let query = try call.query()
    try query.allow("since")
    let since = try query.integer("since", in: 0...Int64.max)
    let last = call.request.head.fields.text(.lastEventID).flatMap { Int64($0) }
    // A browser repeats its address with every request, so what it has seen last counts more.
    let filter = ExchangeFilter(since: last ?? since ?? journal.lastID)
    do {
      return Self.events(
        try await journal.exchanges(matching: filter, atLeast: 1, within: Self.eventWait, givesWay: true))
    } catch is ExchangeMismatch {
      return Self.events([])
    } catch let error as TooManyWaiters {
      throw ControlError(.tooManyRequests, error.description)
    } catch let error as WaitingEnded {
      throw ControlError(.serviceUnavailable, error.description)
    }
  }

  /// The wait of a page that was closed goes on until this ends.
  private static let eventWait = Duration.seconds(15)

  private static func events(_ exchanges: [Exchange]) -> Response {
    var text = Array("retry: 50\n\n".utf8)
    for exchange in exchanges {
      var json = JSONWriter()
      exchange.write(to: &json)
      text += "id: \(exchange.id)\nevent: request\ndata: ".utf8
      text += json.bytes
      text += "\n\n".utf8
    }
    return Response(
      status: .ok, fields: ResponseFields(lines: "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"),
      body: .bytes(text))
  }
}

extension FieldName {
  fileprivate static let lastEventID = FieldName("last-event-id")
}
