import HTTPMessages

/// The address of a photo, as clients are told it.
package enum PhotoURL {
  /// What stands before a photo's id, as a part of a JSON string.
  ///
  /// - Parameter publicURL: where clients reach the server; if nil, the Host of the request, by http.
  package static func prefix(publicURL: String?, for request: Request) -> JSONFragment {
    if let publicURL { return JSONFragment(escaping: Array(publicURL.utf8)[...], then: "/photos/") }
    // Only a request of HTTP/1.0 has no Host.
    guard let host = request.head.host else { return JSONFragment("http://localhost/photos/", escaping: []) }
    return JSONFragment("http://", escaping: host, then: "/photos/")
  }
}
