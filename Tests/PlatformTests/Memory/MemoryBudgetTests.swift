import Testing

@testable import Platform

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

  @Test func `what nobody has reserved is one more holder`() {
    let reservation = MemoryReservation(of: budget)
    #expect(reservation.resize(to: 300_000))
    budget.setUncounted(700_000, isNew: true)
    #expect((budget.usedBytes, budget.countedBytes, budget.uncountedBytes) == (1_000_000, 300_000, 700_000))
    #expect(!MemoryReservation(of: budget).resize(to: 60_000))
    budget.setUncounted(0, isNew: false)
    #expect((budget.usedBytes, budget.peakBytes, budget.lookCount) == (300_000, 1_000_000, 1))
    withExtendedLifetime(reservation) {}
  }

  @Test func `reservations are counted while they last, empty ones too`() {
    let reservations = (0..<3).map { _ in MemoryReservation(of: budget) }
    #expect(budget.reservationCount == reservations.count)
    #expect(MemoryReservation(of: budget).bytes == 0)
    #expect(budget.reservationCount == reservations.count)
  }
}
