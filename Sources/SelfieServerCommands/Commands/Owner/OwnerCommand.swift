import ArgumentParser
import Glibc
import HTTPMessages
import Platform

/// A command that the owner gives the server, whether or not that runs.
protocol OwnerCommand: Command {
  var options: OwnerOptions { get }
  func execute(on server: any OwnerEndpoint) throws
}

/// The options of every owner's command.
struct OwnerOptions: ConfigurationSource {
  @Flag(help: "Print JSON, for programs.")
  var json = false

  @Option(help: ConfigurationHelp.config) var config: String?
  @Option(help: ConfigurationHelp.home) var home: String?
  @Option(help: ConfigurationHelp.storageDir) var storageDir: String?

  var flags: [Setting: String?] { [.storageDir: storageDir] }

  /// Says what was done.
  ///
  /// - Parameters:
  ///   - sentence: one line, whatever the names in it are.
  ///   - json: what the server says.
  ///   - generated: a new password, which is then all that stands on standard output.
  func report(_ sentence: String, _ json: [UInt8], generated: (email: String, password: String)? = nil) {
    guard let generated else {
      return self.json ? Terminal.writeJSON(json) : Terminal.writeLines(sentence.printable, to: STDOUT_FILENO)
    }
    guard !self.json else {
      return Terminal.writeJSON(
        JSONWriter.object { json in
          json.member("email", generated.email)
          json.member("password", generated.password)
        })
    }
    Terminal.write("\(generated.password)\n", to: STDOUT_FILENO)
    Terminal.writeLines(sentence.printable, to: STDERR_FILENO)
  }
}

extension OwnerCommand {
  func execute() throws {
    WriteSignals.ignore()
    try OwnerConnection.run(options.settings(), execute(on:))
  }
}

/// What the server has refused, in its words.
struct Refusal: Error, CustomStringConvertible {
  let description: String
}

extension OwnerEndpoint {
  /// Sends a request, and returns its response.
  ///
  /// - Parameter body: text members of a JSON object.
  /// - Throws: `Refusal` unless the response is a success.
  func send(
    _ method: String, _ path: [String], query: [(String, String?)] = [], body: [(StaticString, String)] = []
  ) throws -> OwnerResponse {
    let parameters = query.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }
    let target =
      path.map { "/\($0.percentEncoded)" }.joined() + (parameters.isEmpty ? "" : "?")
      + parameters.joined(separator: "&")
    let bytes = body.isEmpty ? [] : JSONWriter.object { json in for (name, text) in body { json.member(name, text) } }
    let response = try send(Request(method, target, body: bytes))
    guard response.status < 300 else {
      let message = try? JSONRecord(response.body()).text("message")
      guard let message else { throw Refusal(description: "The server responded with \(response.status).") }
      // What is wrong with an account is a list, as apps show it: each ends in a comma.
      throw Refusal(description: message.hasSuffix(",") ? message.dropLast() + "." : message)
    }
    return response
  }
}

extension String {
  /// As a segment of a path or as the value of a parameter.
  fileprivate var percentEncoded: String {
    utf8.map { byte in
      let isPlain = byte.isASCIIAlphanumeric || "-_~".utf8.contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + String(decoding: Hex.encode([byte]), as: UTF8.self)
    }.joined()
  }
}
