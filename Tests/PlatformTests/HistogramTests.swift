import TestSupport
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(5))) struct HistogramTests {
  @Test func `an observation counts in the first bucket whose bound it does not exceed`() {
    let histogram = Histogram(bounds: [10, 20])
    for value: Int64 in [-1, 10, 11, 20, 21] { histogram.observe(value) }
    #expect(histogram.reading.counts == [2, 2, 1])
    #expect(histogram.reading.sum == 61)
    #expect(histogram.reading.count == 5)
  }

  @Test func `readings of histograms add up`() {
    let (one, other) = (Histogram(bounds: [10]), Histogram(bounds: [10]))
    one.observe(1)
    other.observe(2)
    other.observe(30)
    var sum = one.reading
    sum.add(other.reading)
    #expect(sum.counts == [2, 1])
    #expect(sum.sum == 33)
  }

  @Test func `no observation of several threads is lost`() throws {
    let histogram = Histogram(bounds: [10])
    let threads = try (0..<4).map { _ in
      try Thread(named: "test") { for value in 0..<10_000 { histogram.observe(Int64(value % 20)) } }
    }
    for thread in threads { thread.join() }
    #expect(histogram.reading.counts == [22_000, 18_000])
    #expect(histogram.reading.sum == 380_000)
  }

}
