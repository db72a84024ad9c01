import SelfieAPI

/// The rows that an import inserts, and those that it refuses with the reasons. `ImportPlanner` makes the plan, and
/// `Importer` carries it out.
package struct ImportPlan: Sendable {
  /// The numbers of users, tokens or photos of a dump, by what happens to them.
  package struct Counts: Sendable, Equatable {
    package internal(set) var taken = 0
    package internal(set) var refused = 0
    /// Tokens only.
    package internal(set) var expired = 0
  }

  /// A row that is not taken, or not all of it.
  package struct Refusal: Error, Equatable {
    /// The line in the dump.
    package let line: Int
    /// Such as `user 5`.
    package let subject: String
    package let reason: String
  }

  package internal(set) var users = Counts()
  package internal(set) var tokens = Counts()
  package internal(set) var photos = Counts()
  /// The size of all photos that are taken.
  package internal(set) var byteCount: Int64 = 0
  /// In the order of the dump's lines.
  package internal(set) var refusals: [Refusal] = []

  // MARK: - What is written

  var newUsers: [User] = []
  var newTokens: [Token] = []
  /// Are inserted once their files are copied.
  var newPhotos: [Photo] = []
}
