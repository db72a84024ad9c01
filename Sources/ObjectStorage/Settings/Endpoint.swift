/// The URL of an object store without a path, such as `https://s3.eu-central-1.amazonaws.com`.
struct Endpoint: Equatable {
  let scheme: String
  /// With the port unless it is the scheme's own: clients leave that out of `Host`, which is signed.
  let host: String
  /// Whether the host is a number, before which a bucket's name cannot stand.
  let isNumeric: Bool

  /// Nil if the text is no such URL.
  init?(_ text: String) {
    let url = /(https?):\/\/(\[[0-9a-f.]*:[0-9a-f:.]*\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?\/?/
    guard let match = text.lowercased().wholeMatch(of: url) else { return nil }
    let name = String(match.2)
    scheme = String(match.1)
    let (port, ownPort) = (match.3.flatMap { Int($0) }, scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(port ?? ownPort) else { return nil }
    host = port ?? ownPort == ownPort ? name : "\(name):\(port ?? ownPort)"
    isNumeric = name.wholeMatch(of: /\[.*\]|[0-9.]+/) != nil
  }
}
