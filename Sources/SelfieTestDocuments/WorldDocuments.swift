// The clock, the counts and the snapshots of a world, and the small answers of the control interface. `Seed`,
// `FaultRule` and `Exchange` have files of their own.

/// What a clock is to do, in this order: the body of `POST /__admin/clock`.
public struct ClockChange: Codable, Sendable, Equatable {
  /// Shows the real time again.
  public var reset: Bool?
  /// Goes on from this time, running or frozen as before.
  public var set: TestInstant?
  public var freeze: Freeze?
  /// Lets a frozen clock run on from where it is.
  public var run: Bool?
  /// Moves the clock forward, or backward by a negative duration.
  public var advance: TestDuration?

  public init(
    reset: Bool? = nil, set: TestInstant? = nil, freeze: Freeze? = nil, run: Bool? = nil, advance: TestDuration? = nil
  ) {
    (self.reset, self.set, self.freeze, self.run, self.advance) = (reset, set, freeze, run, advance)
  }

  /// Where to stop the clock: `true`, or a time.
  public enum Freeze: Codable, Sendable, Equatable {
    /// False does nothing.
    case here(Bool)
    case at(TestInstant)

    public init(from decoder: any Decoder) throws {
      if let isFrozen = try? decoder.singleValueContainer().decode(Bool.self) {
        self = .here(isFrozen)
      } else {
        self = .at(try TestInstant(from: decoder))
      }
    }

    public func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .here(let isFrozen): try value.encode(isFrozen)
      case .at(let instant): try value.encode(instant)
      }
    }
  }
}

/// What a clock shows.
public struct ClockReading: Codable, Sendable, Equatable {
  public let now: TestInstant
  public let frozen: Bool
  /// How far the clock is ahead of the real time.
  public let aheadMilliseconds: Int64

  package init(now: TestInstant, frozen: Bool, aheadMilliseconds: Int64) {
    (self.now, self.frozen, self.aheadMilliseconds) = (now, frozen, aheadMilliseconds)
  }

  enum CodingKeys: String, CodingKey { case now, frozen, aheadMilliseconds = "ahead_milliseconds" }
}

/// How much is stored.
public struct StateCounts: Codable, Sendable, Equatable {
  public var users: Int64
  public var tokens: Int64
  public var photos: Int64
  public var notes: Int64
  public var microblogUsers: Int64
  public var blogposts: Int64

  public init(
    users: Int64 = 0, tokens: Int64 = 0, photos: Int64 = 0, notes: Int64 = 0, microblogUsers: Int64 = 0,
    blogposts: Int64 = 0
  ) {
    (self.users, self.tokens, self.photos, self.notes) = (users, tokens, photos, notes)
    (self.microblogUsers, self.blogposts) = (microblogUsers, blogposts)
  }

  enum CodingKeys: String, CodingKey {
    case users, tokens, photos, notes, microblogUsers = "microblog_users", blogposts
  }
}

/// A snapshot and how much it has.
public typealias Snapshot = Joined<SnapshotName, StateCounts>

public struct SnapshotName: Codable, Sendable, Equatable {
  public let name: String
  public let savedAt: TestInstant

  package init(name: String, savedAt: TestInstant) { (self.name, self.savedAt) = (name, savedAt) }

  enum CodingKeys: String, CodingKey { case name, savedAt = "saved_at" }
}

public struct SnapshotList: Codable, Sendable {
  /// By name.
  public let snapshots: [Snapshot]
  /// How many there may be.
  public let most: Int

  package init(snapshots: [Snapshot], most: Int) { (self.snapshots, self.most) = (snapshots, most) }
}

/// A world and how much it has.
public typealias ListedWorld = Joined<WorldUse, StateCounts>

/// Since when there is a world, and how it is used. In real time.
public struct WorldUse: Codable, Sendable, Equatable {
  public let name: String
  public let ageMilliseconds: Int64
  /// Since its last request began.
  public let idleMilliseconds: Int64
  /// How many requests its journal has.
  public let requests: Int

  package init(name: String, ageMilliseconds: Int64, idleMilliseconds: Int64, requests: Int) {
    (self.name, self.requests) = (name, requests)
    (self.ageMilliseconds, self.idleMilliseconds) = (ageMilliseconds, idleMilliseconds)
  }

  enum CodingKeys: String, CodingKey {
    case name, ageMilliseconds = "age_milliseconds", idleMilliseconds = "idle_milliseconds", requests
  }
}

/// The worlds but the main one.
public struct WorldList: Codable, Sendable {
  /// The names, in alphabetical order.
  public let worlds: [String]
  /// In the same order.
  public let details: [ListedWorld]
  /// How many there may be.
  public let most: Int

  package init(_ details: [ListedWorld], most: Int) {
    (worlds, self.details, self.most) = (details.map(\.name), details, most)
  }
}

/// The name, the number or the counts of what was removed.
public struct Removed<Value: Codable & Sendable>: Codable, Sendable {
  public let removed: Value

  package init(_ removed: Value) { self.removed = removed }
}

/// Whose tokens are to expire or to be revoked.
public struct TokenOwner: Codable, Sendable {
  /// All users' if nil.
  public var email: String?

  public init(email: String? = nil) { self.email = email }
}

/// An error: what is wrong, and what would be right.
public struct ErrorMessage: Codable, Sendable {
  public let status: Int
  public let message: String

  package init(status: Int, message: String) { (self.status, self.message) = (status, message) }
}

/// Two documents whose members stand in one object.
@dynamicMemberLookup
public struct Joined<First: Codable & Sendable, Second: Codable & Sendable>: Codable, Sendable {
  public var first: First
  public var second: Second

  public init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

  public init(from decoder: any Decoder) throws { self.init(try First(from: decoder), try Second(from: decoder)) }

  public func encode(to encoder: any Encoder) throws {
    try first.encode(to: encoder)
    try second.encode(to: encoder)
  }

  public subscript<Value>(dynamicMember path: KeyPath<First, Value>) -> Value { first[keyPath: path] }

  public subscript<Value>(dynamicMember path: KeyPath<Second, Value>) -> Value { second[keyPath: path] }
}

extension Joined: Equatable where First: Equatable, Second: Equatable {}
