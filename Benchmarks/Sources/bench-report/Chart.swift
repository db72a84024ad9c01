/// A bar chart of the read rates beside nginx's.
///
/// It is self-contained: it has no script, no external font or image, and it has colours for light and dark mode.
struct Chart {
  private static let measures = ["get_photos", "download", "not_modified"]
  private static let baseline = "nginx"

  private static let width = 760.0
  private static let labelWidth = 200.0
  /// Space for the text after the longest bar.
  private static let valueWidth = 160.0
  private static let rowHeight = 24.0
  private static let barHeight = 15.0
  private static let headHeight = 40.0

  private struct Bar {
    let name: String
    let ratio: Double
    let rate: Double
    let style: String
  }

  private let groups: [(title: String, bars: [Bar])]

  init(_ results: Results) {
    groups = Self.measures.compactMap { results.measure($0) }.map { measure in
      let bars = measure.contenders.compactMap { contender -> Bar? in
        guard let rate = measure.spread(of: contender),
          let ratio = measure.ratio(of: contender, to: Self.baseline)
        else { return nil }
        let style = ["selfie-server": "own", Self.baseline: "base"][contender] ?? "peer"
        return Bar(name: name(contender), ratio: ratio.median, rate: rate.median, style: style)
      }
      return (measure.title, bars.sorted { $0.ratio > $1.ratio })
    }
  }

  var svg: String {
    let height = groups.reduce(24) { $0 + Self.headHeight + Double($1.bars.count) * Self.rowHeight }
    let size = "\(figure: Self.width) \(figure: height)"
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" width="\#(figure: Self.width)" role="img" "#
        + #"aria-label="Requests per second beside nginx's">"#,
      Self.style,
    ]
    var y = 0.0
    for group in groups {
      y += Self.headHeight
      lines.append(text(group.title, x: 0, y: y - 12, style: "title"))
      for bar in group.bars {
        lines += row(bar, y: y)
        y += Self.rowHeight
      }
    }
    lines.append(text("Requests per second, as a multiple of nginx's.", x: 0, y: y + 18, style: "note"))
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private func row(_ bar: Bar, y: Double) -> [String] {
    let width = max(2, bar.ratio / longest * (Self.width - Self.labelWidth - Self.valueWidth))
    let box = #"x="\#(figure: Self.labelWidth)" y="\#(figure: y)" width="\#(figure: width)""#
    let end = Self.labelWidth + width + 8
    return [
      text(bar.name, x: Self.labelWidth - 10, y: y + 12, style: "label"),
      #"<rect class="\#(bar.style)" \#(box) height="\#(figure: Self.barHeight)" rx="2"/>"#,
      text("\(figure(bar.ratio))× · \(figure(bar.rate))/s", x: end, y: y + 12, style: "value"),
    ]
  }

  private var longest: Double { groups.flatMap(\.bars).map(\.ratio).max() ?? 1 }

  private func text(_ text: String, x: Double, y: Double, style: String) -> String {
    #"<text class="\#(style)" x="\#(figure: x)" y="\#(figure: y)">\#(text)</text>"#
  }

  private static let style = """
    <style>
      text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
      .title { font-weight: 600; font-size: 14px }
      .label { text-anchor: end }
      .value, .note { fill: #59636e }
      .own { fill: #e8590c }
      .base { fill: #868e96 }
      .peer { fill: #b8c0c8 }
      @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .value, .note { fill: #9198a1 }
        .own { fill: #ff8c42 }
        .base { fill: #8b949e }
        .peer { fill: #4d5661 }
      }
    </style>
    """
}

extension DefaultStringInterpolation {
  /// A coordinate, without a fraction if it is a whole number.
  fileprivate mutating func appendInterpolation(figure number: Double) {
    let tenths = Int((number * 10).rounded())
    appendInterpolation(tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)")
  }
}
