import HTTPMessages

/// The method that a POST asks to be treated as.
struct MethodOverride {
  let method: Method

  /// Reads the field X-HTTP-Method-Override; nil if there is none.
  init?(header request: Request) {
    guard let name = request.head.fields[.methodOverride] else { return nil }
    self.init(name: name)
  }

  /// Reads the member `_method` of a form; nil if there is none.
  init?(form: [String: ParameterValue]) {
    guard case .string(let name)? = form["_method"] else { return nil }
    self.init(name: Array(name.utf8)[...])
  }

  /// A name that rack does not know leaves the POST as it is. HEAD becomes a method that no route has: a response without
  /// a body is only valid if the request on the wire is a HEAD.
  private init(name: ArraySlice<UInt8>) {
    // A longer name is not known, and would take long to write in capitals.
    guard name.count <= "OPTIONS".utf8.count else {
      method = .post
      return
    }
    switch Method(String(decoding: name, as: UTF8.self).uppercased()) {
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
