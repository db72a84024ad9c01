import Testing

@testable import Platform

@Suite struct HistogramTests {
  @Test func `an observation counts in the first bucket whose bound it does not exceed, and readings add up`() {
    let (one, other) = (Histogram(bounds: [10, 20]), Histogram(bounds: [10, 20]))
    for value: Int64 in [-1, 10, 11, 20, 21] { one.observe(value) }
    #expect(one.reading.counts == [2, 2, 1])
    #expect(one.reading.sum == 61)
    #expect(one.reading.count == 5)
    other.observe(2)
    other.observe(30)
    var sum = one.reading
    sum.add(other.reading)
    #expect(sum.counts == [3, 2, 2])
    #expect(sum.sum == 93)
  }
}
