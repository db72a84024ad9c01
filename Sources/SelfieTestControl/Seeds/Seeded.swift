import HTTPMessages
import SelfieAPI

/// The stored users of a seed, in the order of the seed. Times are in unix milliseconds.
public struct Seeded: Sendable, Equatable {
  public var users: [User]
  public var microblogUsers: [MicroblogUser]

  public struct User: Sendable, Equatable {
    public let id: Int64
    public let email: String
    public let firstName: String?
    public let lastName: String?
    /// In plain text.
    public let password: String
    public let tokens: [Token]
    public let photos: [Photo]
    public let notes: [Note]
  }

  public struct Token: Sendable, Equatable {
    /// The text that clients send.
    public let letters: String
    public let expiresAt: Int64
  }

  public struct MicroblogUser: Sendable, Equatable {
    public let id: Int64
    public let name: String
    /// In plain text.
    public let password: String
    /// The values of the cookie `auth_tkt`.
    public let sessions: [String]
    public let blogposts: [Blogpost]
  }
}

extension Seeded {
  /// - Parameter photoURLs: what the addresses of photos begin with.
  func writeMembers(to json: inout JSONWriter, photoURLs: JSONFragment) {
    json.member("users", objects: users) { json, user in
      json.member("id", user.id)
      json.member("email", user.email)
      json.member("password", user.password)
      json.member("first_name", user.firstName)
      json.member("last_name", user.lastName)
      json.member("tokens", objects: user.tokens) { json, token in
        json.member("token", token.letters)
        json.member("expires_at", time: token.expiresAt)
      }
      json.member("photos", objects: user.photos) { json, photo in
        json.member("id", photo.id)
        json.member("random_id", photo.randomID)
        json.key("image_url")
        Array(photo.randomID.utf8).withUnsafeBufferPointer { json.string(photoURLs, thenPlain: $0) }
        json.member("name", photo.name)
        json.member("title", photo.title)
        json.member("content_type", photo.contentType)
        json.member("byte_count", photo.byteCount)
        json.member("created_at", time: photo.createdAt)
      }
      json.member("notes", objects: user.notes) { $1.writeMembers(to: &$0) }
    }
    json.key("microblog")
    json.object { json in
      json.member("users", objects: microblogUsers) { json, user in
        json.member("id", user.id)
        json.member("name", user.name)
        json.member("password", user.password)
        json.member("sessions", objects: user.sessions) { $0.member("cookie", $1) }
        json.member("blogposts", objects: user.blogposts) { json, post in
          json.member("uuid", post.uuid)
          json.member("text", post.text)
          json.member("created_at", time: post.createdAt)
        }
      }
    }
  }
}
