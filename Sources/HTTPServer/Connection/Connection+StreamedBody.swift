import HTTPMessages
import Platform

// How a streamed body is fetched: one piece at a time, and only when the client has taken the one before.
extension Connection {
  /// Asks the source for the next piece. Closing the connection cancels the task.
  func fetchPiece() {
    guard let request, let body = pendingResponse?.streamedBody else { return close() }
    phase = .fetching
    do throws(MemoryExhausted) {
      try body.reserveMemory(of: table.memory)
    } catch {
      return fetchFailed(.outOfMemory)
    }
    table.setDeadline(of: self, after: limits.fetchTimeout)
    let bound = LoopBound(self, loop: table.loop)
    let (source, offset, count, mayEnd) = (body.source, body.offset, body.nextCount, body.framing != .length)
    let (number, memory) = (request.number, body.memory)
    request.task = Task.immediate(executorPreference: table.loop) {
      // The piece is counted for as long as the source has it, though the connection may have closed.
      defer { withExtendedLifetime(memory) {} }
      do throws(BodyStream.Failure) {
        let piece = try await source.piece(at: offset, count: count, mayEnd: mayEnd)
        bound.value.pieceFetched(piece, request: number)
      } catch {
        bound.value.pieceFailed(error, request: number)
      }
    }
  }

  private func pieceFetched(_ piece: [UInt8], request number: UInt64) {
    guard isFetching(for: number) else { return }
    do throws(MemoryExhausted) {
      try pendingResponse?.streamedBody?.countMemory(of: piece)
    } catch {
      return fetchFailed(.outOfMemory)
    }
    pendingResponse?.add(piece)
    request?.release()
    phase = .writing
    table.setDeadline(of: self, after: limits.writeTimeout)
    // A source that has its pieces at hand would otherwise keep the loop until the client is slower.
    table.resumeLater(self)
  }

  private func pieceFailed(_ failure: BodyStream.Failure, request number: UInt64) {
    if isFetching(for: number) { fetchFailed(failure) }
  }

  /// False if the connection was closed meanwhile, or the source has used up its time.
  private func isFetching(for number: UInt64) -> Bool { phase == .fetching && request?.number == number }

  /// Ends a response whose next piece will not come. If the client has got nothing of it, it gets an error. Otherwise
  /// it sees by the length, or the missing last chunk, that the body was cut; where the end of the connection would be
  /// that of the body, by a reset.
  func fetchFailed(_ failure: BodyStream.Failure) {
    guard let request, let body = pendingResponse?.streamedBody else { return close() }
    body.source.end(failure)
    guard body.isUnsent else {
      if body.framing == .untilClose { socket.reset() }
      return close()
    }
    request.task?.cancel()
    request.throttledBody = nil
    pendingResponse = nil
    let message = if case .outOfMemory = failure { Self.outOfMemory } else { Self.unreadable }
    send(
      table.responder.refuse(
        RefusedRequest(
          status: .serviceUnavailable, message: message, head: request.head, context: request.record?.context)),
      for: request)
  }

  private static let unreadable = "What was asked for could not be read. Try again in a moment."
}
