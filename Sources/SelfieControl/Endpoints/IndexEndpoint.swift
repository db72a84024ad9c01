import HTTPMessages

extension Worlds {
  /// `GET /__admin/`: what there is.
  func index(_ call: ControlCall) throws -> Response {
    guard call.method == .get || call.method == .head else { throw ControlError.methodNotAllowed("GET") }
    return .json { json in
      json.key("addresses")
      json.array { json in
        for address in Self.addresses { json.string(address) }
      }
    }
  }

  /// The control interface: a method and a path each, as `Docs/openapi.yaml` describes them.
  static let addresses = [
    "GET /__admin/",
    "GET /__admin/clock",
    "POST /__admin/clock",
    "GET /__admin/faults",
    "POST /__admin/faults",
    "DELETE /__admin/faults",
    "DELETE /__admin/faults/{id}",
    "GET /__admin/requests",
    "DELETE /__admin/requests",
    "GET /__admin/requests/{id}",
    "POST /__admin/requests/count",
    "POST /__admin/requests/verify",
    "POST /__admin/requests/wait",
    "POST /__admin/reset",
    "POST /__admin/seed",
    "GET /__admin/snapshots",
    "PUT /__admin/snapshots/{name}",
    "POST /__admin/snapshots/{name}",
    "DELETE /__admin/snapshots/{name}",
    "POST /__admin/snapshots/{name}/restore",
    "GET /__admin/state",
    "POST /__admin/state",
    "POST /__admin/tokens/expire",
    "POST /__admin/tokens/revoke",
    "GET /__admin/worlds",
    "DELETE /__admin/worlds/{name}",
  ]
}
