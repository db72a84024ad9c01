package import HTTPMessages

/// The reply to an owner's command.
package struct OwnerReply: Sendable {
  /// What the reply says about its JSON.
  package struct Head: Sendable, Codable {
    package var status = 200
    /// Says what was done; nil for commands that only read.
    package var summary: String?
    /// How many elements there are, of which the JSON may have only the first.
    package var total: Int64?
    /// How many bytes of a photo follow.
    package var byteCount: Int64 = 0
  }

  package var head = Head()
  package let json: [UInt8]
  /// The bytes that follow.
  package var content: BodyStream?

  package init(_ json: [UInt8], total: Int64? = nil) {
    self.json = json
    head.total = total
  }

  /// A reply with the members of a JSON object.
  init(_ summary: String? = nil, _ members: (inout JSONWriter) -> Void) {
    self.init(JSONWriter.object(members))
    head.summary = summary
  }
}
