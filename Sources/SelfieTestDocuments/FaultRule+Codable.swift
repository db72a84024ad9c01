// A rule as JSON: the members of its effect stand beside those that say when it fires. FaultRule.swift describes them.
extension FaultRule: Codable {
  /// The members of the object, in the order in which a message about an unknown one lists them.
  fileprivate enum CodingKeys: String, CodingKey, CaseIterable {
    case method, path, condition = "where", share, seed, skip, count, delay, read
    case status, message, body, text, fields, drop, drip, truncate, malform
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    method = try members.decodeIfPresent(String.self, forKey: .method)
    path = try members.decodeIfPresent(String.self, forKey: .path)
    condition = try members.decodeIfPresent(RequestCondition.self, forKey: .condition)
    share = try members.decodeIfPresent(Double.self, forKey: .share)
    seed = try members.decodeIfPresent(UInt64.self, forKey: .seed)
    skip = try members.decodeIfPresent(Int.self, forKey: .skip)
    count = try members.decodeIfPresent(Int.self, forKey: .count)
    delay = try members.decodeIfPresent(Delay.self, forKey: .delay)
    read = try members.decodeIfPresent(Drip.self, forKey: .read)
    effect = try Effect(members, at: decoder.codingPath)
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(method, forKey: .method)
    try members.encodeIfPresent(path, forKey: .path)
    try members.encodeIfPresent(condition, forKey: .condition)
    try members.encodeIfPresent(share, forKey: .share)
    try members.encodeIfPresent(seed, forKey: .seed)
    try members.encodeIfPresent(skip, forKey: .skip)
    try members.encodeIfPresent(count, forKey: .count)
    try members.encodeIfPresent(delay, forKey: .delay)
    try members.encodeIfPresent(read, forKey: .read)
    switch effect {
    case .response(let response)?: try response.encode(to: &members)
    case .drop(let moment)?: try members.encode(moment, forKey: .drop)
    case .drip(let pieces)?: try members.encode(pieces, forKey: .drip)
    case .truncate(let cut)?: try members.encode(cut, forKey: .truncate)
    case .malform(let malformation)?: try members.encode(malformation, forKey: .malform)
    case nil: break
    }
  }
}

extension FaultRule.Effect {
  fileprivate typealias Members = KeyedDecodingContainer<FaultRule.CodingKeys>

  /// Nil if no member names an effect.
  ///
  /// - Parameter place: of the rule in its document.
  /// - Throws: for members of two effects.
  fileprivate init?(_ members: Members, at place: [any CodingKey]) throws {
    let effects: [(name: String, effect: Self?)] = [
      ("status", try FaultResponse(members, at: place).map(Self.response)),
      ("drop", try members.decodeIfPresent(FaultRule.Moment.self, forKey: .drop).map(Self.drop)),
      ("drip", try members.decodeIfPresent(FaultRule.Drip.self, forKey: .drip).map(Self.drip)),
      ("truncate", try members.decodeIfPresent(FaultRule.Cut.self, forKey: .truncate).map(Self.truncate)),
      ("malform", try members.decodeIfPresent(FaultRule.Malformation.self, forKey: .malform).map(Self.malform)),
    ]
    let given = effects.filter { $0.effect != nil }
    guard given.count < 2 else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: place,
          debugDescription:
            "has \(given.map(\.name).joined(separator: " and ")), which cannot be combined; pass one of them"
        ))
    }
    guard let effect = given.first?.effect else { return nil }
    self = effect
  }
}

extension FaultResponse {
  /// Nil without a status.
  fileprivate init?(_ members: FaultRule.Effect.Members, at place: [any CodingKey]) throws {
    let status = try members.decodeIfPresent(Int.self, forKey: .status)
    let contents: [(key: FaultRule.CodingKeys, content: Content?)] = [
      (.message, try members.decodeIfPresent(String.self, forKey: .message).map(Content.message)),
      (.body, try members.decodeIfPresent(JSONValue.self, forKey: .body).map(Content.json)),
      (.text, try members.decodeIfPresent(String.self, forKey: .text).map(Content.text)),
    ]
    let fields = try members.decodeIfPresent([String: String].self, forKey: .fields)
    let given = contents.filter { $0.content != nil }
    guard given.count < 2 else {
      let names = given.map(\.key.stringValue).joined(separator: " and ")
      throw DecodingError.dataCorrupted(
        .init(codingPath: place, debugDescription: "has \(names), which exclude each other"))
    }
    guard let status else {
      guard let key = given.first?.key ?? (fields == nil ? nil : .fields) else { return nil }
      throw DecodingError.dataCorrupted(.init(codingPath: place + [key], debugDescription: "requires status"))
    }
    self.init(status: status, content: given.first?.content, fields: fields ?? [:])
  }

  fileprivate func encode(to members: inout KeyedEncodingContainer<FaultRule.CodingKeys>) throws {
    try members.encode(status, forKey: .status)
    switch content {
    case .message(let message)?: try members.encode(message, forKey: .message)
    case .json(let value)?: try members.encode(value, forKey: .body)
    case .text(let text)?: try members.encode(text, forKey: .text)
    case nil: break
    }
    if !fields.isEmpty { try members.encode(fields, forKey: .fields) }
  }
}

extension FaultRule.Cut: Codable {
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let bytes = try members.decodeIfPresent(Int.self, forKey: .bytes)
    let share = try members.decodeIfPresent(Double.self, forKey: .share)
    switch (bytes, share) {
    case (let bytes?, nil): self = .bytes(bytes)
    case (nil, let share?): self = .share(share)
    default:
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: #"must be {"bytes":100} or {"share":0.5}"#))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .bytes(let bytes): try members.encode(bytes, forKey: .bytes)
    case .share(let share): try members.encode(share, forKey: .share)
    }
  }

  private enum CodingKeys: String, CodingKey { case bytes, share }
}
