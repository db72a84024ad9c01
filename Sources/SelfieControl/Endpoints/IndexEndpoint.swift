import HTTPMessages

extension Worlds {
  /// `GET /__admin/`: lists the addresses of the control interface.
  func showIndex(_ call: ControlCall) -> Response {
    .json { $0.member("addresses", array: ControlRoute.all) { $0.string($1.address) } }
  }
}
