import Platform
import Testing

@Suite struct MemoryBudgetTests {
  private let budget = MemoryBudget(limit: 1 << 20)

  @Test func `what is reserved returns when nobody refers to it any more`() {
    var first: MemoryReservation? = MemoryReservation(of: budget)
    #expect(first?.resize(to: 500_000) == true)
    let second = MemoryReservation(of: budget)
    #expect(second.resize(to: 100_000))
    #expect(budget.usedBytes == 600_000)
    #expect(second.resize(to: 50_000))
    #expect(budget.usedBytes == 550_000)
    first = nil
    #expect(budget.usedBytes == 50_000)
  }

  @Test func `a reservation that does not fit changes nothing`() {
    let (first, second) = (MemoryReservation(of: budget), MemoryReservation(of: budget))
    #expect(first.resize(to: 500_000))
    #expect(second.resize(to: 400_000))
    #expect(!second.resize(to: 500_000))
    #expect(second.bytes == 400_000)
    #expect(budget.usedBytes == 900_000)
  }

  @Test(arguments: [Int.max, 1 << 20, 917_505])
  func `nothing is larger than the part of the budget that large reservations may use`(_ bytes: Int) {
    #expect(!MemoryReservation(of: budget).resize(to: bytes))
    #expect(budget.usedBytes == 0)
  }

  @Test(arguments: [(0, true, false), (262_143, true, false), (262_144, false, false), (786_433, false, true)])
  func `it is ample below a quarter and short beyond three`(_ bytes: Int, isAmple: Bool, isShort: Bool) {
    budget.add(bytes)
    #expect((budget.isAmple, budget.isShort) == (isAmple, isShort))
  }

  @Test func `small reservations are made while large ones are refused`() {
    let large = MemoryReservation(of: budget)
    #expect(large.resize(to: 917_504))
    #expect(!MemoryReservation(of: budget).resize(to: 65_537))
    let small = [MemoryReservation(of: budget), MemoryReservation(of: budget), MemoryReservation(of: budget)]
    #expect(small[0].resize(to: 65_536))
    #expect(small[1].resize(to: 65_536))
    #expect(budget.isExhausted)
    #expect(!small[2].resize(to: 1))
  }

  @Test func `growth that nobody is counted for is noticed once, however slow it was`() {
    var uncounted = UncountedMemory()
    let step = UncountedMemory.minGrowth / 2
    #expect(
      [40, 41, 38, 39, 40, 41, 40, 41].map { uncounted.hasGrown(to: $0 * step) } == [
        false, false, false, false, true, false, false, false,
      ])
    #expect([42, 10, 11].map { uncounted.hasGrown(to: $0 * step) } == [true, false, false])
  }
}
