import HTTPMessages

// The method that a POST asks to be treated as (Rack's `MethodOverride`).
extension Method {
  /// By the member `_method` of a form; nil if there is none.
  static func override(in form: [String: ParameterValue]) -> Method? {
    guard case .string(let name)? = form["_method"] else { return nil }
    return override(named: Array(name.utf8)[...])
  }

  /// A name that rack does not know leaves the POST as it is. HEAD becomes a method that no route has: a response without
  /// a body is only valid if the request on the wire is a HEAD.
  static func override(named name: ArraySlice<UInt8>) -> Method {
    // A longer name is not known, and would take long to write in capitals.
    guard name.count <= "OPTIONS".utf8.count else { return .post }
    let method = Method(String(decoding: name, as: UTF8.self).uppercased())
    return switch method {
    case .get, .put, .delete, .options, .patch: method
    case .head: .other
    case .post, .trace, .connect, .other: .post
    }
  }
}
