import HTTPMessages

/// The address of a photo, as clients are told it.
package enum PhotoURL {
  /// What stands before a photo's id, as a part of a JSON string.
  ///
  /// - Parameters:
  ///   - publicURL: where clients reach the server; nil: at the Host of the request.
  ///   - usesTLS: whether they do so by HTTPS if there is no `publicURL`.
  package static func prefix(publicURL: String?, usesTLS: Bool, for request: Request) -> JSONFragment {
    if let publicURL {
      return JSONFragment(escaping: Array(publicURL.utf8)[...], then: "/photos/")
    }
    // Only a request of HTTP/1.0 has no Host.
    let host = request.head.host ?? Array("localhost".utf8)[...]
    return JSONFragment(usesTLS ? "https://" : "http://", escaping: host, then: "/photos/")
  }
}
