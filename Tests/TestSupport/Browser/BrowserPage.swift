import Foundation
import Platform
import SelfieTestDocuments

/// A page in the browser, used as a person does: by what is on it, and by the keyboard.
package final class BrowserPage: Sendable {
  private struct State {
    var problems: [String] = []
    var urls: [String] = []
    /// Opened when the page has been loaded.
    var loaded = Gate()
  }

  private let browser: Browser
  private let session: String
  private let context: JSONValue
  private let state = Monitor(State())

  init(_ browser: Browser, session: String, context: JSONValue) {
    self.browser = browser
    self.session = session
    self.context = context
  }

  func prepare(width: Int, height: Int) async throws {
    // The domains whose events are noted. DOM and Accessibility can be asked without: enabled, they would have an event
    // and a tree brought up to date for each change of the document.
    for domain in ["Page", "Runtime", "Log", "Network"] { try await call("\(domain).enable") }
    try await resize(width: width, height: height)
  }

  /// Closes it. The browser would keep it until its own end.
  package func close() async throws {
    _ = try await browser.call("Target.disposeBrowserContext", ["browserContextId": context])
  }

  // MARK: - What the page has done

  /// Errors and warnings of the console, exceptions, and violations of the Content-Security-Policy.
  package var problems: [String] { state.withLock(\.problems) }

  /// The addresses that it has requested.
  package var urls: [String] { state.withLock(\.urls) }

  /// The events that `noteEvent` knows.
  static let events: Set = [
    "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Network.requestWillBeSent",
    "Page.loadEventFired",
  ]

  func noteEvent(_ method: String, _ parameters: JSONValue) {
    switch method {
    case "Runtime.consoleAPICalled" where ["error", "warning", "assert"].contains(parameters["type"].text):
      add("console: \(parameters["args"].elements.map { $0["value"].text ?? "?" }.joined(separator: " "))")
    case "Runtime.exceptionThrown":
      let details = parameters["exceptionDetails"]
      add("exception: \(details["exception"]["description"].text ?? details["text"].text ?? "?")")
    case "Log.entryAdded" where ["error", "warning"].contains(parameters["entry"]["level"].text):
      let entry = parameters["entry"]
      add("\(entry["source"].text ?? ""): \(entry["text"].text ?? "") \(entry["url"].text ?? "")")
    case "Network.requestWillBeSent":
      if let url = parameters["request"]["url"].text { state.withLock { $0.urls.append(url) } }
    case "Page.loadEventFired": state.withLock(\.loaded).open()
    default: break
    }
  }

  private func add(_ problem: String) {
    state.withLock { $0.problems.append(problem) }
  }

  // MARK: - Using it

  package func open(_ url: String) async throws {
    let loaded = Gate()
    state.withLock { $0.loaded = loaded }
    let result = try await call("Page.navigate", ["url": .string(url)])
    if let error = result["errorText"].text { throw NotPossible("\(url): \(error)") }
    await loaded.wait()
  }

  /// - Parameter scale: the pixels of a screenshot for each of the page. More than one hides the scroll bars.
  package func resize(width: Int, height: Int, scale: Int = 1) async throws {
    try await call("Emulation.setScrollbarsHidden", ["hidden": .bool(scale > 1)])
    try await call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number("\(width)"), "height": .number("\(height)"), "deviceScaleFactor": .number("\(scale)"),
        "mobile": .bool(width < 600),
      ])
  }

  /// Keeps addresses from being loaded. `*` stands for anything.
  package func block(_ addresses: [String]) async throws {
    try await call("Network.setBlockedURLs", ["urls": .array(addresses.map(JSONValue.string))])
  }

  /// Light or dark, as the visitor's system is set.
  package func prefer(scheme: String) async throws {
    try await call(
      "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
  }

  /// The value of an expression, which may be a promise.
  @discardableResult
  package func evaluate(_ expression: String) async throws -> JSONValue {
    let result = try await call(
      "Runtime.evaluate",
      ["expression": .string(expression), "awaitPromise": true, "returnByValue": true, "userGesture": true])
    if case .object = result["exceptionDetails"] {
      throw NotPossible(result["exceptionDetails"]["exception"]["description"].text ?? "an exception")
    }
    return result["result"]["value"]
  }

  /// Waits until an expression is true. It is evaluated again whenever the document changes or something is loaded, also
  /// in the page to which a link leads.
  package func wait(for expression: String) async throws {
    do {
      try await waitHere(for: expression)
    } catch let error as NotPossible where error.description.contains("navigated") {
      try await wait(for: expression)
    }
  }

  private func waitHere(for expression: String) async throws {
    try await evaluate(
      """
      new Promise((resolve, reject) => {
        const isTrue = () => { try { return \(expression) } catch { return false } }
        const end = (settle, value) => {
          clearTimeout(timer)
          observer.disconnect()
          document.removeEventListener('load', check, true)
          settle(value)
        }
        const check = () => { if (isTrue()) end(resolve) }
        const observer = new MutationObserver(check)
        const timer = setTimeout(
          () => end(reject, new Error('waited in vain; the page: ' + document.body.innerText)), 120000)
        observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true})
        document.addEventListener('load', check, true)
        check()
      })
      """)
  }

  /// Waits until a text is on the page.
  package func wait(forText text: String) async throws {
    try await wait(for: "document.body.innerText.includes(\(try Self.literal(text)))")
  }

  /// What a person sees of it.
  package func text() async throws -> String {
    try await evaluate("document.body.innerText").text ?? ""
  }

  /// Clicks a control, and waits until a text is on the page, if there is to be one.
  package func click(_ name: String, role: String = "button", until text: String? = nil) async throws {
    try await run("function() { this.click() }", on: try await control(role, name))
    if let text { try await wait(forText: text) }
  }

  /// Replaces what is in a field, and waits until a text is on the page, if there is to be one.
  package func fill(
    _ name: String, with text: String, role: String = "textbox", until shown: String? = nil
  ) async throws {
    let control = try await control(role, name)
    try await run("function() { this.focus(); this.select() }", on: control)
    try await call("Input.insertText", ["text": .string(text)])
    if let shown { try await wait(forText: shown) }
  }

  /// Types into the control that has the focus.
  package func type(_ text: String) async throws {
    try await call("Input.insertText", ["text": .string(text)])
  }

  package func choose(_ value: String, of name: String) async throws {
    try await run(
      """
      function() { this.value = \(try Self.literal(value)); this.dispatchEvent(new Event('change', {bubbles: true})) }
      """, on: try await control("combobox", name))
  }

  package func choose(file: String, of name: String) async throws {
    let input = try await call(
      "Runtime.evaluate",
      [
        "expression": .string(
          """
          [...document.querySelectorAll('input[type=file]')]
            .find(input => input.labels[0]?.textContent === \(try Self.literal(name)))
          """)
      ])["result"]["objectId"]
    try await call("DOM.setFileInputFiles", ["files": [.string(file)], "objectId": input])
  }

  /// Presses a key, such as Tab or Enter.
  package func press(_ key: String) async throws {
    let codes: [String: JSONValue] = ["Tab": 9, "Enter": 13, " ": 32]
    var event: [String: JSONValue] = [
      "type": "keyDown", "key": .string(key), "code": .string(key), "windowsVirtualKeyCode": codes[key] ?? 0,
    ]
    if key == "Enter" { event["text"] = "\r" }
    try await call("Input.dispatchKeyEvent", .object(event))
    event["type"] = "keyUp"
    event["text"] = nil
    try await call("Input.dispatchKeyEvent", .object(event))
  }

  /// A PNG of the part of the page that is in the window.
  package func screenshot() async throws -> Data {
    let image = try await call("Page.captureScreenshot")["data"].text
    guard let image, let data = Data(base64Encoded: image) else { throw NotPossible("no screenshot") }
    return data
  }

  /// Whether the page is wider than the window.
  package func scrollsSideways() async throws -> Bool {
    try await evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth") == true
  }

  /// The first control of a role and name in the accessibility tree, as a screen reader finds it.
  private func control(_ role: String, _ name: String) async throws -> JSONValue {
    // DOM.getDocument would enable the domain.
    let document = try await call("Runtime.evaluate", ["expression": "document"])["result"]["objectId"]
    for _ in 0..<200 {
      let found = try await call(
        "Accessibility.queryAXTree",
        ["objectId": document, "role": .string(role), "accessibleName": .string(name)])
      if let first = found["nodes"].elements.first(where: { $0["ignored"] == false }) {
        return first["backendDOMNodeId"]
      }
      // The tree follows the page with a delay, which is long on a busy machine.
      try await Task.sleep(for: .milliseconds(50))
    }
    throw NotPossible("there is no \(role) “\(name)” on the page: \(try await text())")
  }

  private func run(_ function: String, on node: JSONValue) async throws {
    let object = try await call("DOM.resolveNode", ["backendNodeId": node])["object"]["objectId"]
    let result = try await call(
      "Runtime.callFunctionOn",
      ["objectId": object, "functionDeclaration": .string(function), "userGesture": true, "awaitPromise": true])
    if case .object = result["exceptionDetails"] { throw NotPossible("\(result["exceptionDetails"])") }
  }

  @discardableResult
  private func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
    try await browser.call(method, parameters, session: session)
  }

  /// A text as JavaScript.
  private static func literal(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }
}
