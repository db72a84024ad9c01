import Glibc

/// `bench-report RESULTS MACHINE FOLDER`: writes FOLDER/Results.md and FOLDER/Results.svg from the records of the cases
/// (Benchmarks/lib/measure.sh), and prints the table. MACHINE describes the machine as a Markdown list.
@main
struct BenchReport {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else {
      print("usage: bench-report RESULTS MACHINE FOLDER")
      exit(2)
    }
    do {
      let results = try Results(TextFile.read(arguments[1]))
      let report = Report(results: results, machine: try TextFile.read(arguments[2]))
      try TextFile.write(report.markdown, to: "\(arguments[3])/Results.md")
      try TextFile.write(Chart(results).svg, to: "\(arguments[3])/Results.svg")
      print(report.markdown)
      let verdicts = results.goals.map { Verdict($0, results) }
      print("\(verdicts.count { $0.holds == true }) of \(verdicts.count) goals hold.")
    } catch {
      print("bench-report: \(error)")
      exit(1)
    }
  }
}
