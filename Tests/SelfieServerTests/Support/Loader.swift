import Foundation
import FoundationNetworking
import Platform

/// URLSession as it is on iOS, where a 401 that nobody has credentials for is a response like any other. On Linux
/// Foundation gives such a task up without a call of its completion handler, so here the response is taken when its
/// challenge comes.
final class Loader: Sendable {
  private let delegate: LoadDelegate
  private let session: URLSession

  init() {
    delegate = LoadDelegate()
    let configuration = URLSessionConfiguration.ephemeral
    // Each request must reach the server.
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = 300
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  func load(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    try await withCheckedThrowingContinuation { continuation in
      let task = session.dataTask(with: request)
      delegate.expect(task, continuation)
      task.resume()
    }
  }
}

private final class LoadDelegate: NSObject, URLSessionDataDelegate, Sendable {
  typealias Continuation = CheckedContinuation<(Data, HTTPURLResponse), any Error>

  private struct Load {
    let continuation: Continuation
    var data = Data()
  }

  private let loads = Monitor<[Int: Load]>([:])

  func expect(_ task: URLSessionTask, _ continuation: Continuation) {
    loads.withLock { $0[task.taskIdentifier] = Load(continuation: continuation) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    loads.withLock { $0[dataTask.taskIdentifier]?.data.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    finish(task, error: nil)
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    finish(task, error: error)
  }

  private func finish(_ task: URLSessionTask, error: (any Error)?) {
    guard let load = loads.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      load.continuation.resume(throwing: error)
    } else if let response = task.response as? HTTPURLResponse {
      load.continuation.resume(returning: (load.data, response))
    } else {
      load.continuation.resume(throwing: URLError(.badServerResponse))
    }
  }
}

extension HTTPURLResponse {
  /// The header fields, with names in lower case.
  var fields: [String: String] {
    var fields: [String: String] = [:]
    for case (let name as String, let value as String) in allHeaderFields { fields[name.lowercased()] = value }
    return fields
  }
}
