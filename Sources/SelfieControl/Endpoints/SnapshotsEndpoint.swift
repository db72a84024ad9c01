import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/snapshots` lists what was saved, `PUT` (or `POST`) `/__admin/snapshots/NAME` saves what is stored
  /// now, `POST /__admin/snapshots/NAME/restore` goes back to it, `DELETE /__admin/snapshots/NAME` forgets it.
  func snapshots(_ call: ControlCall) async throws -> Response {
    switch call.path.count {
    case 1: try list(call)
    case 2: try await snapshot(call, call.path[1])
    case 3 where call.path[2] == "restore": try await restore(call, call.path[1])
    default: throw ControlError.notFound
    }
  }

  private func list(_ call: ControlCall) throws -> Response {
    guard call.method == .get || call.method == .head else { throw ControlError.methodNotAllowed("GET") }
    return .json { json in
      json.key("snapshots")
      json.array { json in
        for snapshot in snapshots.list {
          json.object { $0.members(of: snapshot) }
        }
      }
      json.member("most", Int64(Snapshots.maxCount))
    }
  }

  private func snapshot(_ call: ControlCall, _ name: String) async throws -> Response {
    switch call.method {
    case .put, .post:
      try await call.body().allow()
      let saved = try await snapshots.save(name)
      return .json { $0.members(of: saved) }
    case .delete:
      try await snapshots.delete(name)
      return .json { $0.member("removed", name) }
    default: throw ControlError.methodNotAllowed("DELETE, POST, PUT")
    }
  }

  private func restore(_ call: ControlCall, _ name: String) async throws -> Response {
    guard call.method == .post else { throw ControlError.methodNotAllowed("POST") }
    try await call.body().allow()
    let restored = try await snapshots.restore(name)
    return .json { $0.members(of: restored) }
  }
}

extension WireJSON {
  fileprivate mutating func members(of snapshot: Snapshots.Summary) {
    member("name", snapshot.name)
    member("saved_at", time: snapshot.savedAt)
    members(of: snapshot.counts)
  }
}
