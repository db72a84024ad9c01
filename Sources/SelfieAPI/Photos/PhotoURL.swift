import HTTPMessages

/// The address of a photo, as clients are told it.
package enum PhotoURL {
  /// What stands before a photo's id, as a part of a JSON string.
  ///
  /// - Parameter settings: say where clients reach the server; if they do not, it is at the Host of the request.
  package static func prefix(_ settings: APISettings, for request: Request) -> JSONFragment {
    if let publicURL = settings.publicURL {
      return JSONFragment(escaping: Array(publicURL.utf8)[...], then: "/photos/")
    }
    // Only a request of HTTP/1.0 has no Host.
    let host = request.head.host ?? Array("localhost".utf8)[...]
    return JSONFragment(settings.usesTLS ? "https://" : "http://", escaping: host, then: "/photos/")
  }
}
