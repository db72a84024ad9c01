import HTTPMessages

/// The reply to an owner's command.
public struct OwnerReply: Sendable {
  package var status = Status.ok
  package let json: [UInt8]
  /// Says what was done; nil for commands that only read.
  package var summary: String?
  /// How many elements there are, of which the JSON may have only the first.
  package var total: Int64?
  /// The bytes that follow, of a photo, and how many they are.
  package var content: (stream: BodyStream, byteCount: Int64)?

  package init(_ json: [UInt8]) {
    self.json = json
  }

  /// A reply with the members of a JSON object.
  init(_ summary: String? = nil, _ members: (inout JSONWriter) -> Void) {
    self.init(JSONWriter.object(members))
    self.summary = summary
  }
}
