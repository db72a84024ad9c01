import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/snapshots`: lists the snapshots.
  func listSnapshots(_ call: ControlCall) -> Response {
    .json { json in
      json.member("snapshots", objects: snapshots.list) { $0.members(of: $1) }
      json.member("most", Int64(Snapshots.maxCount))
    }
  }

  /// `PUT` or `POST /__admin/snapshots/{name}`: saves the stored state.
  func saveSnapshot(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    let saved = try await snapshots.save(call.name)
    return .json { $0.members(of: saved) }
  }

  /// `DELETE /__admin/snapshots/{name}`: deletes a snapshot.
  func deleteSnapshot(_ call: ControlCall) async throws -> Response {
    try await snapshots.delete(call.name)
    return .json { $0.member("removed", call.name) }
  }

  /// `POST /__admin/snapshots/{name}/restore`: replaces the stored state by that of a snapshot.
  func restoreSnapshot(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    let restored = try await snapshots.restore(call.name)
    return .json { $0.members(of: restored) }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of snapshot: Snapshots.Summary) {
    member("name", snapshot.name)
    member("saved_at", time: snapshot.savedAt)
    members(of: snapshot.counts)
  }
}
