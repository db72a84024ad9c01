package import HTTPMessages
import Platform

// Chooses the detail of a refusal by the route of the request. CredentialFinding.swift and MissingParameters.swift
// write the sentences about credentials and parameters.
extension Application {
  func explained(_ error: APIError, of request: Request, at target: RouteTarget?) -> APIError {
    if error.status.code < 500, let finding = Self.finding(aboutPath: request.head.path.prefix(Self.maxComparedPath)) {
      return error.detailed(finding)
    }
    guard error.detail == nil, let resource = target?.resource,
      let route = resource.route(for: request.head.method) ?? resource.routeOfForms
    else { return error }
    switch error.reason {
    case .invalidApiCredentials?, .invalidToken?, .notRefreshable?, .missingCredentials?:
      return error.detailed(route.credential.map { request.finding(aboutCredentials: $0, for: route.title) })
    case .expiredToken?:
      return error.detailed("the token has expired; POST /api/refresh_token or a new sign-in gives another")
    default: return error
    }
  }

  /// `no POST /signin; there is POST /api/signin`: the route that was most probably meant, or all of the family.
  func notFound(_ request: Request) -> APIError {
    let segments = request.head.path.prefix(Self.maxComparedPath).split(
      separator: UInt8(ascii: "/"), maxSplits: Self.maxComparedSegments)
    let tables = RouteTable.all.filter { $0.isServed(by: self) }
    let family = tables.filter { table in segments.first.map { table.firstSegments.contains(Array($0)) } ?? false }
    // The root has no word, so nothing means it.
    let candidates = (family.isEmpty ? tables : family).flatMap(\.resources).filter { !$0.word.isEmpty }
    // The first segment of a known family says no more than the family.
    let (first, words) = (segments.count > 1 && !family.isEmpty ? 1 : 0, candidates.map(\.word))
    let found = segments.indices.dropFirst(first).reversed().lazy.compactMap { index in
      let meant = Self.words(meantBy: Resource.word(segments[index]), method: request.head.method, among: words)
      return meant.isEmpty ? nil : (index, meant)
    }.first
    let offered =
      found.map { found in candidates.filter { found.1.contains($0.word) } } ?? (family.isEmpty ? [] : candidates)
    // What follows may be a photo's id, a token or a password.
    let shown = segments.prefix((found?.0 ?? 1) + 1).map { String(decoding: $0, as: UTF8.self).shownSegment }
    let path = (shown + (segments.count > shown.count ? ["..."] : [])).joined(separator: "/")
    let offer = offered.isEmpty ? "the API's addresses begin with /api" : "there is \(Resource.titles(offered))"
    let rest = found != nil && segments.count > shown.count ? "; what follows it is sent as a parameter" : ""
    return APIError.notFound.detailed("no \(request.head.name(of: request.head.method)) /\(path); \(offer)\(rest)")
  }

  /// The words of the routes that have this word, or a synonym of it; else the one that is most like it.
  private static func words(meantBy sent: String, method: Method, among words: [String]) -> [String] {
    guard !sent.isEmpty else { return [] }
    let byMethod = sent == "photo" || sent == "photos" ? photoWords(method) : nil
    let equal = words.filter { $0 == sent || $0 == byMethod || synonyms[sent]?.contains($0) ?? false }
    return equal.isEmpty ? word(meantBy: sent, among: words).map { [$0] } ?? [] : equal
  }

  /// The word of the route of the tutorial's API that has this method for photos.
  private static func photoWords(_ method: Method) -> String? {
    switch method {
    case .delete: "deletephoto"
    case .post, .put, .patch: "uploadphoto"
    case .get, .head: "getphotos"
    default: nil
    }
  }

  /// A delimiter that was escaped, which makes it a part of a segment; nil if there is none.
  private static func finding(aboutPath path: ArraySlice<UInt8>) -> String? {
    if path.containsIgnoringCase("%3f") {
      return "the path has %3F, an escaped question mark; a query begins with \"?\" (URLComponents.queryItems, not "
        + "appendingPathComponent)"
    }
    return path.containsIgnoringCase("%2f")
      ? "the path has %2F, an escaped slash; write the slashes of a path as they are" : nil
  }

  /// Words of other APIs for what these routes do.
  private static let synonyms = [
    "login": ["signin"], "session": ["signin"], "sessions": ["signin"], "auth": ["signin"],
    "authenticate": ["signin"], "authorize": ["signin"], "oauth": ["signin"],
    "token": ["signin", "gettoken", "refreshtoken"], "tokens": ["signin", "gettoken", "refreshtoken"],
    "register": ["signup"],
    "registration": ["signup"], "logout": ["cleartoken"], "signout": ["cleartoken"], "revoke": ["cleartoken"],
    "password": ["resetpassword"], "upload": ["uploadphoto"],
    "image": ["uploadphoto"], "images": ["uploadphoto"], "note": ["notes"], "post": ["blogposts"],
    "posts": ["blogposts"], "user": ["users"],
  ]

  private static func word(meantBy sent: String, among words: [String]) -> String? {
    let (long, minLength) = (words.filter { $0.count > Self.minComparedLetters }, Self.minComparedLetters)
    return words.first { $0 == sent } ?? sent.nearest(among: long) { $0.count / 3 }
      ?? long.first { sent.count > minLength && ($0.hasPrefix(sent) || sent.hasPrefix($0)) }
  }

  /// The credential and the parameters that the route of a request asks for, each with its kind; none without a route.
  package func neededParameters(of request: Request) -> [NeededParameter] {
    guard let route = target(of: request)?.resource.route(for: request.head.method) else { return [] }
    let credential = route.credential.map { [NeededParameter(name: "Authorization", kind: $0)] } ?? []
    return credential
      + route.parameters.map {
        NeededParameter(name: $0.name, kind: "\($0.kind.rawValue)\($0.isRequired ? "" : ", optional")")
      }
  }

  /// Bytes and segments: the API's addresses have fewer.
  private static let (maxComparedPath, maxComparedSegments) = (200, 6)
  /// Shorter words are like too many others.
  private static let minComparedLetters = 3
}

/// A parameter or a field that a route asks for.
package struct NeededParameter: Sendable {
  package let name: String
  /// Such as `file` or `text, optional`; of `Authorization`, the credential.
  package let kind: String
}

extension Resource {
  /// A segment without capitals, hyphens and a format, which are mistaken most often.
  static func word(_ segment: some Collection<UInt8>) -> String {
    let letters = segment.prefix { $0 != UInt8(ascii: ".") }.filter(\.isASCIILetter)
    return String(decoding: letters.map(\.asciiLowercased), as: UTF8.self)
  }

  fileprivate static func titles(_ resources: [Resource]) -> String {
    resources.flatMap { $0.routes.map(\.title) }.joined(separator: ", ")
  }

  /// The response to a method that the path does not have.
  func notFound(_ method: String) -> APIError {
    APIError.notFound.detailed("no \(method) \(pattern); there is \(Self.titles([self]))")
  }
}

extension RequestHead {
  /// The name of this method, or of another one that a field or a form asks for. Methods are case-sensitive (RFC 9110
  /// §9.1): one that is unknown is shown as it was sent.
  func name(of method: Method) -> String {
    method == .other ? String(decoding: methodName.prefix(20), as: UTF8.self) : method.name
  }
}

extension String {
  /// A segment of a path as a client sent it. A long one may be a photo's id, which is a secret.
  fileprivate var shownSegment: String { utf8.count < 24 ? self : "..." }
}
