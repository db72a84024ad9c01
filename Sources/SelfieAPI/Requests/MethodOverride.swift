import HTTPMessages

/// Another method that a POST stands for.
struct MethodOverride {
  let method: Method

  /// By the field X-HTTP-Method-Override; nil when there is none.
  init?(header request: Request) {
    guard let name = request.head.fields[.methodOverride] else { return nil }
    self.init(name: String(decoding: name, as: UTF8.self))
  }

  /// By the member `_method` of a form; nil when there is none.
  init?(form: [String: ParameterValue]) {
    guard case .string(let name)? = form["_method"] else { return nil }
    self.init(name: name)
  }

  /// What rack does not know leaves the POST as it is. A HEAD would have to be one on the wire too.
  private init(name: String) {
    switch Method(name.uppercased()) {
    case .get: method = .get
    case .put: method = .put
    case .delete: method = .delete
    case .options: method = .options
    case .patch: method = .patch
    case .head: method = .other
    case .post, .trace, .connect, .other: method = .post
    }
  }
}
