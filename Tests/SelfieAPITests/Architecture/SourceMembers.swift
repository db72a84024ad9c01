import TestSupport

/// A member of a type, wherever it is declared.
struct SourceMember: Hashable, Sendable {
  let type: String
  let name: String
}

/// The members that a file of Sources declares and uses, found by the words around them: enough to tell whose member a use
/// is where the text says so, by a type's name, by the declared type of a variable, or by `self`.
struct SourceMembers: Sendable {
  struct Declaration: Sendable {
    let member: SourceMember
    /// Whether it is of an extension, and other files may use it.
    let isSharedByExtension: Bool
  }

  let declarations: [Declaration]
  /// The types of the variables and parameters that say theirs.
  let variableTypes: [String: Set<String>]
  /// The types that the file declares or extends.
  private let ownTypes: Set<String>
  private let localNames: Set<String>
  private let tokens: [Token]

  init(of source: SwiftSource) {
    let lines = source.code.split(separator: "\n").map(Line.init)
    (declarations, ownTypes) = Self.declarations(in: lines)
    tokens = lines.flatMap(\.tokens)
    var (types, names): ([String: Set<String>], Set<String>) = ([:], [])
    for (index, token) in tokens.enumerated() where token.isWord {
      if ["func", "let", "var", "case"].contains(token.text), let name = tokens.word(index + 1) { names.insert(name) }
      if let type = tokens.declaredType(of: index) { types[token.text, default: []].insert(type) }
    }
    (variableTypes, localNames) = (types, names)
  }

  /// The members of which a use in this file can be told.
  ///
  /// - Parameters:
  ///   - types: of the variables in the file's target.
  ///   - owners: the types that declare a member of a name.
  func uses(variableTypes types: [String: Set<String>], owners: [String: Set<String>]) -> Set<SourceMember> {
    var uses: Set<SourceMember> = []
    for (index, token) in tokens.enumerated() where token.isWord {
      let isAfterDot = tokens.text(index - 1) == "."
      guard isAfterDot || tokens.text(index + 1) == "(" else { continue }
      let name = token.text
      if owners[name]?.count == 1, let type = owners[name]?.first, !Self.ofTheLibrary.contains(name) {
        uses.insert(SourceMember(type: type, name: name))
      }
      if isAfterDot {
        guard let receiver = tokens.receiver(before: index - 1) else { continue }
        for type in receiverTypes(receiver, types) { uses.insert(SourceMember(type: type, name: name)) }
      } else if !localNames.contains(name) {
        for type in ownTypes { uses.insert(SourceMember(type: type, name: name)) }
      }
    }
    return uses
  }

  private func receiverTypes(_ receiver: String, _ types: [String: Set<String>]) -> Set<String> {
    if receiver.first?.isUppercase == true { return [receiver] }
    if receiver == "self" { return ownTypes }
    // `value` is of any type.
    let found = receiver == "value" ? [] : variableTypes[receiver] ?? types[receiver] ?? []
    return found.count == 1 ? found : []
  }

  /// Names that types of Swift's library have, too, so that a use of them says nothing.
  private static let ofTheLibrary: Set<String> = [
    "append", "bytes", "contains", "count", "data", "description", "end", "filter", "first", "hash", "id", "index",
    "init",
    "insert", "isEmpty", "joined", "keys", "last", "map", "max", "min", "name", "next", "prefix", "read", "reduce",
    "remove", "removeAll", "sorted", "split", "start", "suffix", "text", "value", "values", "write",
  ]

  private static func declarations(in lines: [Line]) -> (members: [Declaration], types: Set<String>) {
    var (members, types) = ([Declaration](), Set<String>())
    var scopes: [(indentation: Int, type: String, isShared: Bool)] = []
    for line in lines where !line.tokens.isEmpty {
      while let scope = scopes.last, line.indentation <= scope.indentation, !line.isEnd { scopes.removeLast() }
      let isPrivate = line.tokens.contains { ["private", "fileprivate"].contains($0.text) }
      if let type = line.declaredType {
        types.insert(type.name)
        scopes.append((line.indentation, type.name, type.isExtension && !isPrivate))
      } else if let scope = scopes.last, line.indentation == scope.indentation + 2 {
        members += line.declaredMembers.map {
          Declaration(
            member: SourceMember(type: scope.type, name: $0), isSharedByExtension: scope.isShared && !isPrivate)
        }
      }
    }
    return (members, types)
  }
}

/// A word, or one other character.
private struct Token: Sendable {
  let text: String
  let followsBlank: Bool
  var isWord: Bool { text.first.map { $0.isLetter || $0 == "_" } ?? false }
}

private struct Line {
  let indentation: Int
  let tokens: [Token]

  init(_ text: Substring) {
    indentation = text.utf8.prefix { $0 == UInt8(ascii: " ") }.count
    var (tokens, word) = ([Token](), "")
    var (last, beforeWord): (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
    for character in text.unicodeScalars {
      defer { last = character }
      if character.properties.isAlphabetic || character == "_" || ("0"..."9").contains(character) {
        if word.isEmpty { beforeWord = last }
        word.unicodeScalars.append(character)
        continue
      }
      if !word.isEmpty { tokens.append(Token(text: word, followsBlank: beforeWord == " ")) }
      word = ""
      if character != " " { tokens.append(Token(text: String(character), followsBlank: last == " ")) }
    }
    if !word.isEmpty { tokens.append(Token(text: word, followsBlank: beforeWord == " ")) }
    self.tokens = tokens
  }

  var isEnd: Bool { [")", "}"].contains(tokens.text(0) ?? "") }

  /// The index after attributes and modifiers.
  private var start: Int {
    var index = 0
    while let word = tokens.text(index) {
      if word == "@" {
        index += 2
      } else if word == "(", index > 0 {
        while let text = tokens.text(index), text != ")" { index += 1 }
        index += 1
      } else if Self.modifiers.contains(word) {
        index += 1
      } else {
        break
      }
    }
    return index
  }

  private static let modifiers: Set<String> = [
    "borrowing", "consuming", "fileprivate", "final", "indirect", "internal", "lazy", "mutating", "nonisolated",
    "override", "package", "private", "public", "static", "weak",
  ]

  var declaredType: (name: String, isExtension: Bool)? {
    let start = start
    guard let kind = tokens.text(start),
      ["actor", "class", "enum", "extension", "protocol", "struct"].contains(kind), var name = tokens.word(start + 1)
    else { return nil }
    var index = start + 2
    while tokens.text(index) == ".", let inner = tokens.word(index + 1) { (name, index) = (inner, index + 2) }
    return (name, kind == "extension")
  }

  var declaredMembers: [String] {
    let start = start
    guard let kind = tokens.text(start), let name = tokens.word(start + 1) else { return [] }
    guard kind == "case" else { return ["func", "let", "typealias", "var"].contains(kind) ? [name] : [] }
    var (names, depth) = ([name], 0)
    for index in tokens.indices.dropFirst(start + 2) {
      depth += tokens[index].text == "(" ? 1 : tokens[index].text == ")" ? -1 : 0
      if depth == 0, tokens[index].text == ",", let name = tokens.word(index + 1) { names.append(name) }
    }
    return names
  }
}

extension [Token] {
  fileprivate func text(_ index: Int) -> String? { indices.contains(index) ? self[index].text : nil }

  fileprivate func word(_ index: Int) -> String? {
    indices.contains(index) && self[index].isWord ? self[index].text : nil
  }

  /// The type in `name: Type`, `name: inout [Type]` or `let name = Type(`.
  fileprivate func declaredType(of index: Int) -> String? {
    // The colon of a ternary expression follows a blank.
    if text(index + 1) == ":", !self[index + 1].followsBlank {
      var next = index + 2
      while ["any", "borrowing", "consuming", "inout", "sending", "some"].contains(text(next) ?? "") { next += 1 }
      if text(next) == "[" { return "Array" }
      return typeName(at: next)
    }
    guard ["let", "var"].contains(text(index - 1) ?? ""), text(index + 1) == "=" else { return nil }
    var next = index + 2
    while ["!", "?", "await", "try"].contains(text(next) ?? "") { next += 1 }
    guard let type = word(next), type.first?.isUppercase == true, text(next + 1) == "(" else { return nil }
    return type
  }

  /// The last part of `Outer.Inner`.
  private func typeName(at index: Int) -> String? {
    guard var name = word(index), name.first?.isUppercase == true else { return nil }
    var next = index + 1
    while text(next) == ".", let inner = word(next + 1), inner.first?.isUppercase == true {
      (name, next) = (inner, next + 2)
    }
    return name
  }

  /// The last word of what a dot stands after: `files` in `library.files[0]?.size`.
  fileprivate func receiver(before dot: Int) -> String? {
    var index = dot - 1
    if ["!", "?"].contains(text(index) ?? "") { index -= 1 }
    if text(index) == ")", text(index - 1) == "(" {
      index -= 2
    } else if text(index) == "]" {
      while let text = text(index), text != "[" { index -= 1 }
      index -= 1
    }
    return word(index)
  }
}
