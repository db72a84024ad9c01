extension SQLScanner {
  /// Skips the rest of a statement, including strings, comments and parentheses in it.
  ///
  /// - Parameter mayHaveBody: whether it may contain BEGIN ATOMIC … END, as functions may. Semicolons in there do not
  /// end the statement.
  mutating func skipStatement(mayHaveBody: Bool = false) throws {
    let start = tokenLine
    var parentheses = 0
    var blocks = 0
    while let token = try next(keepingText: false) {
      switch token {
      case .open: parentheses += 1
      case .close: parentheses = max(0, parentheses - 1)
      case .word("begin") where mayHaveBody: blocks += 1
      case .word("case") where blocks > 0: blocks += 1
      case .word("end") where blocks > 0: blocks -= 1
      case .semicolon where parentheses == 0 && blocks == 0: return
      default: break
      }
    }
    throw Self.unendedStatement(line: start)
  }

  /// Skips the rest of a statement that was not understood, up to the next semicolon.
  mutating func skipToSemicolon() throws {
    let start = tokenLine
    while lastToken != .semicolon {
      guard try next(keepingText: false) != nil else { throw Self.unendedStatement(line: start) }
    }
  }

  static func unendedStatement(line: Int) -> DumpProblem {
    DumpProblem(line: line, "The statement that begins here does not end.", endsReading: true)
  }

  /// The next token must be this one.
  mutating func expect(_ expected: Token, _ text: String) throws {
    guard try next() == expected else { throw DumpProblem(line: tokenLine, "\(text) was expected here.") }
  }

  /// The parts of `name`, `schema.name` and so on, which begins with this token.
  mutating func qualifiedName(_ first: Token?) throws -> [String] {
    var parts: [String] = []
    var token = first
    while true {
      switch token {
      case .word(let part)?, .name(let part)?: parts.append(part)
      default: throw DumpProblem(line: tokenLine, "A name was expected here.")
      }
      // At most a database, a schema and a name.
      guard parts.count < 3, try next() == .dot else {
        if parts.count < 3 { goBack() }
        return parts
      }
      token = try next()
    }
  }

  /// The names up to the closing parenthesis.
  mutating func columnNames() throws -> [String] {
    var names: [String] = []
    while names.count < PostgresDump.maxColumns {
      switch try next() {
      case .word(let name)?, .name(let name)?: names.append(name)
      default: throw DumpProblem(line: tokenLine, "The name of a column was expected here.")
      }
      switch try next() {
      case .comma?: continue
      case .close?: return names
      default: throw DumpProblem(line: tokenLine, "A comma or a parenthesis was expected here.")
      }
    }
    throw DumpProblem(line: tokenLine, "There are more than \(PostgresDump.maxColumns) columns here.")
  }

  /// The names of the columns that CREATE TABLE defines up to the closing parenthesis.
  mutating func columnDefinitions() throws -> [String] {
    var names: [String] = []
    while names.count < PostgresDump.maxColumns {
      let first = try next()
      if first == .close { return names }
      switch first {
      case .word(let word)? where Self.constraints.contains(word): break
      case .word(let name)?, .name(let name)?: names.append(name)
      default: throw DumpProblem(line: tokenLine, "The name of a column was expected here.")
      }
      if try skipDefinition() == .close { return names }
    }
    throw DumpProblem(line: tokenLine, "There are more than \(PostgresDump.maxColumns) columns here.")
  }

  /// Skips the rest of a definition, and returns the comma or parenthesis that ends it.
  private mutating func skipDefinition() throws -> Token {
    var parentheses = 0
    while let token = try next(keepingText: false) {
      switch token {
      case .open: parentheses += 1
      case .close where parentheses > 0: parentheses -= 1
      case .comma where parentheses > 0: break
      case .close, .comma: return token
      case .semicolon: throw DumpProblem(line: tokenLine, "A parenthesis was expected here.")
      default: break
      }
    }
    throw Self.unendedStatement(line: tokenLine)
  }

  /// The reserved words that begin parts of a table's definition that are not columns.
  private static let constraints: Set<String> = [
    "constraint", "check", "unique", "primary", "foreign", "exclude", "like",
  ]
}
