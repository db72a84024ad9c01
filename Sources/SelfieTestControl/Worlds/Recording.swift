import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

// Records the requests to a world and its responses. `Journal` keeps them, and Exchange.swift makes their parts.
extension World {
  /// Responds to a request and records the exchange in the journal, even when the client has disconnected.
  ///
  /// - Parameter respond: receives the request with a body that is counted while it is read, the exchange so far, and what
  ///   takes the parameters of the body; returns the response and the fault in it.
  func record(
    _ request: Request, respond: (Request, Exchange, BodyNotes) async -> FaultyResponse
  ) async -> Response {
    let start = ContinuousClock.now
    let mask = SecretMask(for: request, application)
    var exchange = arrival(of: request, mask)
    let number = journal.begin(exchange)
    let body = RecordedBody(of: request)
    var request = request.withBody(from: body.next)
    if faults.askForBody(of: request) {
      request = await readAhead(request, noting: body.notes)
      exchange.body = body.recorded(mask)
      journal.update(number, exchange)
    }
    let faulty = await respond(request, exchange, body.notes)
    exchange.durationMilliseconds = ((ContinuousClock.now - start) / .microseconds(10)).rounded() / 100
    if !request.body.isEmpty { exchange.body = body.recorded(mask) }
    exchange.fault = faulty.rule
    if let response = faulty.recorded {
      exchange.status = response.status.code
      exchange.error = response.fields["X-Error"]
      exchange.detail = response.fields["X-Error-Detail"]
      exchange.message = response.message.map(mask.text)
      exchange.response = Exchange.Response(response, to: request, mask)
    }
    journal.end(number, with: exchange)
    return faulty.response
  }

  /// Reads the whole body of a request, whose parameters decide about faults.
  ///
  /// - Returns: the request with the body in memory; with one that cannot be read if this one cannot.
  private func readAhead(_ request: Request, noting notes: BodyNotes) async -> Request {
    let limit = application.settings.maxPhotoBytes + RequestLimits.maxBytesBesidePhoto
    let read = await state.generations.run(request) { request -> Result<[UInt8], BodyError> in
      do throws(BodyError) { return .success(try await request.body.collect(upTo: limit)) } catch {
        return .failure(error)
      }
    }
    let result = read ?? .failure(.disconnected)
    if case .success(let bytes) = result {
      do {
        notes.note(try await application.lists.run { try request.parameters(in: bytes) })
      } catch {
        notes.note(error)
      }
    }
    let rest = Monitor<[UInt8]?>(nil)
    if case .success(let bytes) = result, !bytes.isEmpty { rest.withLock { $0 = bytes } }
    return request.withBody { () async throws(BodyError) -> [UInt8]? in
      if case .failure(let error) = result { throw error }
      return rest.withLock { bytes in
        defer { bytes = nil }
        return bytes
      }
    }
  }

  /// The part of an exchange that is known when the request arrives.
  private func arrival(of request: Request, _ mask: SecretMask) -> Exchange {
    var exchange = Exchange()
    let time = clock.time
    exchange.time = TestInstant(milliseconds: time)
    exchange.aheadMilliseconds = clock.offset
    exchange.peer = request.peer
    exchange.method = mask.text(String(decoding: request.head.methodName, as: UTF8.self))
    exchange.path = Self.path(of: request, mask)
    if let query = request.head.query {
      do throws(ParameterError) {
        exchange.query = mask.parameters(try FormParameters.parse(query: query)).mapValues(JSONValue.init)
      } catch {
        exchange.queryProblem = mask.text(error.message)
      }
    }
    exchange.fields = request.head.fields.pairs.map(mask.field)
    exchange.body.complete = request.body.isEmpty
    exchange.needed = application.neededParameters(of: request).map { Exchange.Field(name: $0.name, value: $0.kind) }
    exchange.token = Exchange.Token(of: request, in: database, now: time)
    return exchange
  }

  /// As much of the path as a filter can match.
  private static func path(of request: Request, _ mask: SecretMask) -> String {
    let path = mask.path(String(decoding: request.head.path, as: UTF8.self))
    guard path.utf8.count > PathPattern.maxBytes else { return path }
    return String(decoding: path.utf8.prefix(PathPattern.maxBytes), as: UTF8.self) + "…"
  }
}

extension Response {
  /// A larger response is a list or a file, and has no message.
  private static let maxMessageBytes = 16 * 1024

  /// The member `message` of a JSON response.
  fileprivate var message: String? {
    guard let bytes = body.content, bytes.count <= Self.maxMessageBytes, bytes.first == UInt8(ascii: "{"),
      case .object(let members)? = try? JSONReader.read(bytes), case .string(let message)? = members["message"]
    else { return nil }
    return message
  }
}
