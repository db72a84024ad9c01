import HTTPMessages
package import SelfieAPI

/// A user, as the owner's page and commands show one. `PhotoView` and `TokenView` are what belongs to users.
package struct UserView: Codable, Equatable, Sendable {
  package let id: Int64
  package let email: String
  package let firstName: String?
  package let lastName: String?
  package let photos: Int64
  /// Of all photos.
  package let bytes: Int64
  package let notes: Int64
  /// Those that are valid.
  package let tokens: Int64
  /// Times are those of the API, such as 2026-11-20T22:24:16.641Z.
  package let createdAt: String
  package let updatedAt: String
  /// Nil for a user who is not disabled.
  package let disabledAt: String?

  package init(_ summary: UserSummary) {
    let user = summary.user
    (id, email, firstName, lastName) = (user.id, user.email, user.firstName, user.lastName)
    (photos, bytes, notes, tokens) = (summary.photos, summary.photoBytes, summary.notes, summary.tokens)
    createdAt = Timestamp.text(unixMilliseconds: user.createdAt)
    updatedAt = Timestamp.text(unixMilliseconds: user.updatedAt)
    disabledAt = user.disabledAt.map(Timestamp.text)
  }

  /// The names, as far as they are known; a hyphen for none.
  package var fullName: String {
    // Of a single word, sign-ups make both names.
    let names = (firstName == lastName ? [firstName] : [firstName, lastName]).compactMap(\.self)
    return names.isEmpty ? "-" : names.joined(separator: " ")
  }

  private enum CodingKeys: String, CodingKey {
    case id, email
    case firstName = "first_name"
    case lastName = "last_name"
    case photos, bytes, notes, tokens
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case disabledAt = "disabled_at"
  }
}

/// A user, and how much the user may store.
package struct UserDetails: Codable, Equatable, Sendable {
  package let user: UserView
  package let maxPhotos: Int64
  /// In bytes; nil for no limit.
  package let quota: Int64?

  init(user: UserView, maxPhotos: Int64, quota: Int64?) {
    (self.user, self.maxPhotos, self.quota) = (user, maxPhotos, quota)
  }

  /// All members are in one object.
  package init(from decoder: any Decoder) throws {
    user = try UserView(from: decoder)
    let limits = try decoder.container(keyedBy: CodingKeys.self)
    maxPhotos = try limits.decode(Int64.self, forKey: .maxPhotos)
    quota = try limits.decodeIfPresent(Int64.self, forKey: .quota)
  }

  package func encode(to encoder: any Encoder) throws {
    try user.encode(to: encoder)
    var limits = encoder.container(keyedBy: CodingKeys.self)
    try limits.encode(maxPhotos, forKey: .maxPhotos)
    try limits.encodeIfPresent(quota, forKey: .quota)
  }

  private enum CodingKeys: String, CodingKey {
    case maxPhotos = "max_photos"
    case quota
  }
}

/// Whether a user may sign in.
package struct UserAccess: Codable, Sendable {
  package let email: String
  /// Nil for a user who is not disabled.
  package let disabledAt: String?

  private enum CodingKeys: String, CodingKey {
    case email
    case disabledAt = "disabled_at"
  }
}

/// A sentence about accounts whose email addresses differ in case only. `SimilarEmails` in SelfieAPI has the words.
package struct SimilarEmailsView: Codable, Sendable {
  package let message: String
}
