/// A number with this many decimal places.
public func decimals(_ number: Double, _ places: Int) -> String {
  guard number.isFinite, places > 0 else { return number.isFinite ? "\(Int(number.rounded()))" : "-" }
  var scale = 1
  for _ in 0..<places { scale *= 10 }
  let scaled = Int((number.magnitude * Double(scale)).rounded())
  let fraction = "\(scaled % scale)"
  let zeros = String(repeating: "0", count: places - fraction.count)
  return "\(number < 0 ? "-" : "")\(scaled / scale).\(zeros)\(fraction)"
}
