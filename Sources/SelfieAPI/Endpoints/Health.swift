import HTTPMessages

extension Application {
  /// `GET /up`: 200 while the server serves.
  func health(_ request: Request) -> Response {
    success(WireJSON.object { $0.member("status", "up") }, for: request)
  }
}
