import HTTPMessages
import SelfieAPI

extension Worlds {
  /// `GET /__admin/worlds`: lists all worlds but the main one.
  func listWorlds(_ call: ControlCall) -> Response {
    .json { json in
      json.member("worlds", array: names) { $0.string($1) }
      json.member("most", Int64(Self.maxCount))
    }
  }

  /// `DELETE /__admin/worlds/{name}`: closes a world. A test that ends need not know whether it has used its world.
  func removeWorld(_ call: ControlCall) async throws -> Response {
    guard ResourceName.isName(call.name) else {
      throw ControlError(.notFound, "There is no world named \(call.name).")
    }
    try await remove(call.name)
    return .json { $0.member("removed", call.name) }
  }
}
