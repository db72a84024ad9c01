package import HTTPMessages

// Only names the parameters: MissingParameters.swift in Requests checks that they are there.
extension Application {
  /// The credential and the parameters that the route of a request asks for, each with its kind; none without a route.
  package func neededParameters(of request: Request) -> [(name: String, value: String)] {
    let route = target(of: request)?.resource.route(for: request.head.method)
    return (route?.credential.map { [("Authorization", $0)] } ?? [])
      + (route?.parameters ?? []).map { ($0.name, "\($0.kind.rawValue)\($0.isRequired ? "" : ", optional")") }
  }
}
