import HTTPMessages
import SelfieAPI

extension Worlds {
  /// `GET /__admin/worlds` lists the worlds beside the main one, `DELETE /__admin/worlds/NAME` ends one.
  func worlds(_ call: ControlCall) async throws -> Response {
    switch call.path.count {
    case 1:
      guard call.method == .get || call.method == .head else { throw ControlError.methodNotAllowed("GET") }
      return .json { json in
        json.key("worlds")
        json.array { json in
          for name in names { json.string(name) }
        }
        json.member("most", Int64(Self.maxCount))
      }
    case 2:
      guard call.method == .delete else { throw ControlError.methodNotAllowed("DELETE") }
      guard try await remove(call.path[1]) else {
        throw ControlError(.notFound, "There is no world named \(call.path[1]).")
      }
      return .json { $0.member("removed", call.path[1]) }
    default: throw ControlError.notFound
    }
  }
}
