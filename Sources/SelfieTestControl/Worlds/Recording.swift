import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

/// An exchange of a world from the arrival of its request on. `Journal` keeps it, and Exchange.swift makes its parts.
struct Recording {
  /// As it is handled: what is read of its body is counted.
  private(set) var request: Request
  /// What is known so far.
  private(set) var exchange: Exchange
  /// Takes what the application finds in the body.
  var notes: BodyNotes { body.notes }

  private let world: World
  private let start = ContinuousClock.now
  private let mask: SecretMask
  private let number: Int64
  private let body: RecordedBody

  /// Begins an exchange in the world's journal.
  init(of request: Request, in world: World) {
    self.world = world
    mask = SecretMask(for: request, world.application)
    exchange = Self.arrival(of: request, in: world, mask)
    number = world.journal.begin(exchange)
    body = RecordedBody(of: request)
    self.request = request.withBody(from: body.next)
  }

  /// Reads the whole body, whose parameters decide about faults. The request then has it in memory; or one that cannot be
  /// read, if this one cannot.
  mutating func readBody() async {
    let (world, notes) = (world, notes)
    let limit = world.application.settings.maxPhotoBytes + RequestLimits.maxBytesBesidePhoto
    let read = await world.state.generations.run(request) { request -> Result<[UInt8], BodyError> in
      do throws(BodyError) { return .success(try await request.body.collect(upTo: limit)) } catch {
        return .failure(error)
      }
    }
    let result = read ?? .failure(.disconnected)
    if case .success(let bytes) = result {
      do {
        notes.note(try await world.application.lists.run { [request] in try request.parameters(in: bytes) })
      } catch {
        notes.note(error)
      }
    }
    let rest = Monitor<[UInt8]?>(nil)
    if case .success(let bytes) = result, !bytes.isEmpty { rest.withLock { $0 = bytes } }
    request = request.withBody { () async throws(BodyError) -> [UInt8]? in
      if case .failure(let error) = result { throw error }
      return rest.withLock { bytes in
        defer { bytes = nil }
        return bytes
      }
    }
    exchange.body = body.recorded(mask)
    world.journal.update(number, exchange)
  }

  /// Ends the exchange in the journal, even if the client has disconnected.
  mutating func end(with faulty: FaultyResponse) {
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
    world.journal.end(number, with: exchange)
  }

  /// The part of an exchange that is known when the request arrives.
  private static func arrival(of request: Request, in world: World, _ mask: SecretMask) -> Exchange {
    var exchange = Exchange()
    let time = world.clock.time
    exchange.time = TestInstant(milliseconds: time)
    exchange.aheadMilliseconds = world.clock.offset
    exchange.peer = request.peer
    exchange.method = mask.text(String(decoding: request.head.methodName, as: UTF8.self))
    exchange.path = path(of: request, mask)
    if let query = request.head.query {
      do throws(ParameterError) {
        exchange.query = mask.parameters(try FormParameters.parse(query: query)).mapValues(JSONValue.init)
      } catch {
        exchange.queryProblem = mask.text(error.message)
      }
    }
    exchange.fields = request.head.fields.pairs.map(mask.field)
    exchange.body.complete = request.body.isEmpty
    exchange.needed = world.application.neededParameters(of: request).map {
      Exchange.Field(name: $0.name, value: $0.kind)
    }
    exchange.token = Exchange.Token(of: request, in: world.database, now: time)
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
