import Testing

@Suite struct ScenarioParserTests {
  private func parse(_ text: String) throws -> Scenario {
    var parser = ScenarioParser(text)
    return Scenario(name: "test", steps: try parser.parse())
  }

  @Test func `a step has a request and a response`() throws {
    let scenario = try parse(
      """
      # What it is about.

      ### first
      # differs: a remark
      POST /api/signin?a=b c
      Authorization: Basic abc
      X-Empty:

      {"a":1}
      --- 401
      X-Error: wrong_password

      {"status":401}

      *** 25 hours later

      ### second
      GET /
      --- 304
      """)
    #expect(scenario.steps.count == 3)
    guard case .later(hours: 25) = scenario.steps[1] else {
      Issue.record("the clock does not move")
      return
    }
    let first = try #require(scenario.exchanges.first)
    #expect(first.name == "first")
    #expect(first.line == 3)
    #expect(first.method == "POST")
    #expect(first.target == "/api/signin?a=b c")
    #expect(first.fields == [Field(name: "Authorization", value: "Basic abc"), Field(name: "X-Empty", value: "")])
    #expect(first.body == "{\"a\":1}")
    #expect(first.response.status == 401)
    #expect(first.response.fields == [Field(name: "X-Error", value: "wrong_password")])
    #expect(first.response.body == "{\"status\":401}")
    let second = try #require(scenario.exchanges.last)
    #expect(second.fields.isEmpty)
    #expect(second.body == nil)
    #expect(second.response.status == 304)
    #expect(second.response.body.isEmpty)
  }

  @Test(arguments: [
    ("one line", ["a"], "a"), ("two lines", ["a", "b"], "a\r\nb"), ("CR LF at the end", ["a", ""], "a\r\n"),
    ("an empty line first", ["", "a"], "\r\na"), ("LF alone", ["a<<lf>>", "b<<lf>>"], "a\nb\n"),
    ("what looks like a remark", ["# a"], "# a"),
    ("what looks like a field", ["--B", "A: b", "", "c"], "--B\r\nA: b\r\n\r\nc"),
    ("dashes that begin no response", ["--- x", "--B--"], "--- x\r\n--B--"), ("nothing", [""], ""),
  ])
  func `a request body is as it is written`(_: String, lines: [String], body: String) throws {
    let scenario = try parse("### a\nPOST /\n\n" + lines.joined(separator: "\n") + "\n--- 200\n")
    #expect(try #require(scenario.exchanges.first).body == body)
  }

  @Test func `line breaks in the body of a response are for the reader`() throws {
    let scenario = try parse("### a\nGET /\n--- 200\n\n[\n{},\n{}\n]\n\n### b\nGET /\n--- 200\n")
    #expect(scenario.exchanges.map(\.response.body) == ["[{},{}]", ""])
  }

  @Test(arguments: [
    ("hello", 1), ("### a\n", 2), ("### a\nGET\n--- 200", 2), ("### a\nGET /\nno field\n--- 200", 3),
    ("### a\nGET /\nA: b\n", 4), ("### a\nGET /\n\nbody\n### b\n", 6), ("*** soon", 1), ("*** 25 days later", 1),
  ])
  func `a file with a mistake is refused`(text: String, line: Int) throws {
    let failure = try #require(throws: ScenarioParser.Failure.self) { try parse(text) }
    #expect(failure.line == line)
  }
}
