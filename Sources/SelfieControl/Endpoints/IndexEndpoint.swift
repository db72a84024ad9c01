import HTTPMessages

extension Worlds {
  /// `GET /__admin/`: lists the addresses of the control interface.
  func showIndex(_ call: ControlCall) -> Response {
    .json { json in
      json.key("addresses")
      json.array { json in
        for route in ControlRoute.all { json.string(route.address) }
      }
    }
  }
}
