import HTTPMessages
import Pages
import SelfieAPI

extension Worlds {
  /// `GET /__admin/`: lists the addresses of the control interface; for a browser, the inspector.
  func showIndex(_ call: ControlCall) throws -> Response {
    var response =
      if call.request.head.fields[.accept]?.containsIgnoringCase("text/html") == true {
        try Self.page("inspector.html", for: call.request)
      } else {
        Response.json { $0.member("addresses", array: ControlRoute.all) { $0.string($1.address) } }
      }
    response.fields.append("Vary", "Accept" as StaticString)
    return response
  }

  /// `GET /__admin/pages/{name}`: a file of the inspector.
  func showPageFile(_ call: ControlCall) throws -> Response {
    try Self.page(call.name, for: call.request)
  }

  /// `GET /__admin/photos/{id}`: the response of `GET /photos/{id}`, without a trace in the journal and without faults.
  func showPhoto(_ call: ControlCall) async throws -> Response {
    guard Photo.isID(call.name.utf8) else { throw ControlError(.notFound, "This is not the id of a photo.") }
    let request = Request("GET", "/photos/\(call.name)", peer: call.request.peer)
    return try await inWorld(of: request, mayMake: { _ in false }) { await $0.application.respond(request) }
  }

  private static func page(_ name: String, for request: Request) throws -> Response {
    guard let file = PageFile(name, in: .inspector) else {
      throw ControlError(.notFound, "The inspector has no file \(name).")
    }
    return file.response(to: request)
  }
}
