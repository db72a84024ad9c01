/// Something that goes wrong, and for which requests:
///
///     try server.faults.add(.status(503, fields: ["Retry-After": "5"]).on("POST", "/api/signin").times(2))
///     try server.faults.add(.delay(.milliseconds(100) ... .seconds(2)))
///     try server.faults.add(.drop(.beforeAnswer).on("POST", "/api/upload_photo").share(0.3, seed: 7))
///
/// Without ``on(_:_:)`` it is for every request to the API and to photos. Those to `/`, `/up` and `/readyz`, which
/// monitors ask for at any time, are touched by rules only that name exactly their path, and the control interface never
/// is. A rule that no server would take, such as one with a share of 2, is refused when it is added.
public struct FaultRule: Sendable, Equatable {
  /// What becomes of a request that the rule fires for.
  public var effect: Effect
  /// The method, such as `POST`, as the request line has it; nil for any.
  public var method: String?
  /// The path, exact or with `*` for any characters, slashes included; nil for any of the API and of photos.
  ///
  /// It is compared with the path as it was sent, without the query, and with its plain form: without doubled and
  /// trailing slashes, and under `/api/` without a format such as `.json`.
  public var path: String?
  /// Of those requests, which part, 0...1. Which ones these are is drawn from the seed, so it is the same in each run
  /// that sends the same requests in the same order.
  public var share = 1.0
  public var seed: UInt64 = 0
  /// How many times it fires; nil for ever.
  public var count: Int?
  /// How much later the answer comes, up to a minute, drawn from the seed. The request is handled at once: who gives
  /// up waiting has its effect all the same.
  public var delay: ClosedRange<Duration>?

  public init(_ effect: Effect) {
    self.effect = effect
  }
}

// MARK: - What goes wrong

extension FaultRule {
  /// An answer of this status instead of the API's, as its errors are: `{"status":N,"message":"…"}`.
  /// The request has no effect.
  ///
  /// - Parameter fields: header fields of the answer, such as `Retry-After`.
  public static func status(_ code: Int, message: String? = nil, fields: [String: String] = [:]) -> FaultRule {
    let message = message ?? "A fault rule answers this request with \(code)."
    return FaultRule(.answer(Answer(status: code, content: .message(message), fields: fields)))
  }

  /// An answer of this status with this JSON as its body. The request has no effect.
  public static func status(_ code: Int, json: String, fields: [String: String] = [:]) -> FaultRule {
    FaultRule(.answer(Answer(status: code, content: .json(Array(json.utf8)), fields: fields)))
  }

  /// An answer of this status with this text, such as a gateway's page. The request has no effect.
  ///
  /// - Parameter fields: may have another `Content-Type` than `text/plain; charset=utf-8`.
  public static func status(_ code: Int, text: String, fields: [String: String] = [:]) -> FaultRule {
    FaultRule(.answer(Answer(status: code, content: .text(text), fields: fields)))
  }

  /// The right answer, late.
  public static func delay(_ duration: Duration) -> FaultRule {
    delay(duration...duration)
  }

  /// The right answer, late by a time that is drawn from the rule's seed.
  public static func delay(_ range: ClosedRange<Duration>) -> FaultRule {
    FaultRule(.none).delayed(range)
  }

  /// The connection is lost.
  ///
  /// Clients such as URLSession and curl may send a request again by themselves, on a new connection, when one that they
  /// have used before is lost (RFC 9112 §9.3.1): a rule that fires once only may then pass unnoticed.
  public static func drop(_ moment: Moment = .beforeHandling) -> FaultRule {
    FaultRule(.drop(moment))
  }

  /// The right answer, its body in pieces of so many bytes with a pause after each.
  public static func drip(bytes: Int, every pause: Duration) -> FaultRule {
    FaultRule(.drip(bytes: bytes, pause: pause))
  }

  /// The right answer as far as these bytes of its body; then the connection ends. An answer that has no more is whole.
  public static func truncate(after bytes: Int) -> FaultRule {
    FaultRule(.truncate(.bytes(bytes)))
  }

  /// This part of the right answer's body, 0...1; then the connection ends.
  public static func truncate(share: Double) -> FaultRule {
    FaultRule(.truncate(.share(share)))
  }

  /// The right answer, made wrong.
  public static func malform(_ what: Malformation) -> FaultRule {
    FaultRule(.malform(what))
  }
}

// MARK: - For which requests, and how often

extension FaultRule {
  /// For requests of this method and path only; see ``path``.
  public func on(_ method: String, _ path: String) -> FaultRule {
    var rule = on(path)
    rule.method = method
    return rule
  }

  /// For requests to this path only, with any method; see ``path``.
  public func on(_ path: String) -> FaultRule {
    var rule = self
    rule.path = path
    return rule
  }

  /// Fires so many times only.
  public func times(_ count: Int) -> FaultRule {
    var rule = self
    rule.count = count
    return rule
  }

  /// Fires for this part of the requests only, 0...1; see ``share``.
  public func share(_ share: Double, seed: UInt64 = 0) -> FaultRule {
    var rule = self
    rule.share = share
    rule.seed = seed
    return rule
  }

  /// What goes wrong goes wrong late.
  public func delayed(by duration: Duration) -> FaultRule {
    delayed(duration...duration)
  }

  /// What goes wrong goes wrong late, by a time that is drawn from the rule's seed.
  public func delayed(_ range: ClosedRange<Duration>) -> FaultRule {
    var rule = self
    rule.delay = range
    return rule
  }
}
