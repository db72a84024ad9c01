import HTTPMessages
import Platform

// Describes missing parameters, for the detail of a refusal. `Call` finds that they are missing.
extension Call {
  /// Says that the body has another type than the route can read; nil if it does not.
  var otherType: String? {
    guard let kind = try? request.bodyKind() else { return nil }
    if case .multipart = kind { return nil }
    let file = asked.first { $0.kind == .file }
    guard file != nil || kind == .none && !request.body.isEmpty else { return nil }
    let needed =
      file.map { "multipart/form-data, with a part named \"\($0.name)\" that has a filename" }
      ?? "application/json, application/x-www-form-urlencoded or multipart/form-data"
    let found =
      request.body.isEmpty
      ? "the request has no body"
      : contentType.map { "Content-Type is \($0)" } ?? "no Content-Type, so the body is not read\(similarField)"
    return "\(found); expected \(needed)"
  }

  private var similarField: String {
    request.head.fields.misspelling(of: "Content-Type").map { "; the request has \($0)" } ?? ""
  }

  /// Without its parameters. A value that is no media type may be that of another field, such as a token.
  private var contentType: String? {
    request.head.fields[.contentType].map { value in
      let type = value.prefix { $0 != UInt8(ascii: ";") }
      let isType = type.count < 60 && type.allSatisfy { $0.isASCIIAlphanumeric || "/.+-".utf8.contains($0) }
      return isType ? String(decoding: type, as: UTF8.self) : "not a media type"
    }
  }

  /// `no "email"; the body has "password" and "username"`.
  ///
  /// - Parameter parts: what is wrong with parts of the body.
  func finding(_ missing: [String], in sent: Parameters, parts: [PartFinding] = []) -> String {
    let isMultipart = if case .multipart? = try? request.bodyKind() { true } else { false }
    let unused = parts.prefix(Self.maxShownNames).map(\.part)
    let absent = missing.filter { sent[$0] == nil && !unused.contains($0) }.map { "\"\($0)\"" }
    var findings =
      absent.isEmpty ? [] : ["no \(isMultipart ? "part named " : "")\(absent.joined(separator: " and no "))"]
    findings += missing.filter { sent[$0] != nil }.map { "\"\($0)\" is null or false" }
    findings += partsWithinTexts(of: sent)
    findings += parts.prefix(Self.maxShownNames).map(\.text)
    let names = sent.someNames
    if names.isEmpty {
      if request.body.isEmpty {
        findings.append("the request has neither a body nor a query")
      } else if parts.isEmpty {
        findings.append(isMultipart ? "the closing boundary comes before any part" : "the body has no parameters")
      }
    } else if names.contains(where: { $0.hasPrefix("--") }) {
      findings.append("the body looks like multipart/form-data; its Content-Type is application/x-www-form-urlencoded")
    } else if names.contains(where: { $0.hasPrefix("{") }) {
      findings.append("the body looks like application/json; its Content-Type is application/x-www-form-urlencoded")
    } else if names == ["_json"], let value = sent["_json"] {
      findings.append("the JSON of the body is \(value.kind); expected an object")
    } else {
      let shown =
        names.prefix(Self.maxShownNames).map { shownName($0, in: sent) }
        + (names.count > Self.maxShownNames ? ["others"] : [])
      findings.append("\(request.body.isEmpty ? "the query" : "the body") has \(shown.joined(separator: " and "))")
    }
    if let parent = names.first(where: { name in
      name.isShownParameter && missing.contains { sent[name]?[member: $0] != nil }
    }) {
      findings.append("what is in \(parent.quotedName) belongs at the top")
    } else if let text = names.first(where: {
      $0 != "_json" && $0.isShownParameter && sent[$0].map(Self.isJSON) ?? false
    }) {
      findings.append("\(text.quotedName) is a text of JSON; its members are sent at the top")
    }
    return findings.joined(separator: "; ")
  }

  /// Texts of a multipart body that have the boundary in them, because the line before it did not end: the parts after it
  /// are lost.
  private func partsWithinTexts(of sent: Parameters) -> [String] {
    guard case .multipart(let boundary)? = try? request.bodyKind() else { return [] }
    let line = Array("--".utf8) + boundary
    return sent.someNames.filter { name in
      guard case .string(let text)? = sent[name] else { return false }
      return Array(text.utf8.prefix(Self.maxSearchedText))[...].firstOccurrence(of: line, from: 0) != nil
    }.map { "the text of \($0.quotedName) has the boundary in it: before a boundary, a line must end with CR LF" }
  }

  private static func isJSON(_ value: ParameterValue) -> Bool {
    if case .string(let text) = value { text.hasPrefix("{\"") || text.hasPrefix("[{") } else { false }
  }

  /// Bytes.
  private static let maxSearchedText = 4096

  /// A name without a value may be a password whose name was forgotten.
  private func shownName(_ name: String, in sent: Parameters) -> String {
    let isKnown = asked.contains { $0.name.utf8.elementsEqual(name.utf8) }
    return sent[name] == .null && !isKnown ? name.hiddenName : name.quotedName
  }

  /// Eight names and what is missing fit into a line.
  private static let maxShownNames = 8
}
