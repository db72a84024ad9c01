/// The parameters of a request, as Rails merges them: those of the query string replace those of the body.
/// RequestParameters.swift in SelfieAPI reads them, and converts them to the types that an endpoint needs.
package struct Parameters: Sendable, Equatable {
  private let values: [String: ParameterValue]

  /// Merges the top-level members as Rails does with `request_parameters.merge(query_parameters)`, each after
  /// `deep_munge`. A null of the query replaces a value of the body.
  package init(query: [String: ParameterValue] = [:], body: [String: ParameterValue] = [:]) {
    guard !query.isEmpty || !body.isEmpty else {
      values = [:]
      return
    }
    values = Self.munged(body).merging(Self.munged(query)) { _, fromQuery in fromQuery }
  }

  /// In alphabetical order.
  package var names: [String] { values.keys.sorted() }

  package subscript(name: String) -> ParameterValue? {
    values[name]
  }

  /// Rails 4.1.5's `ActionDispatch::Request::Utils.deep_munge`: an array loses its nulls, and an array without other
  /// elements becomes null. Like the original it enters objects and the objects in an array, but no arrays in arrays.
  private static func munged(_ object: [String: ParameterValue]) -> [String: ParameterValue] {
    object.mapValues { value in
      switch value {
      case .object(let members): .object(munged(members))
      case .array(let elements): munged(elements)
      default: value
      }
    }
  }

  private static func munged(_ elements: [ParameterValue]) -> ParameterValue {
    let kept = elements.compactMap { element -> ParameterValue? in
      switch element {
      case .null: nil
      case .object(let members): .object(munged(members))
      default: element
      }
    }
    return kept.isEmpty ? .null : .array(kept)
  }
}

extension String {
  /// Bytes of a name that is not ASCII.
  private static let maxUnicodeBytes = 64

  /// A key as text. A long one that is not ASCII gets question marks: a dictionary normalises its keys, which takes time
  /// quadratic in a run of combining marks, and no endpoint knows such a name.
  init(parameterName key: ArraySlice<UInt8>) {
    let isPlain = key.count <= Self.maxUnicodeBytes || key.allSatisfy { $0 < 0x80 }
    self.init(decoding: isPlain ? key : key.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }[...], as: UTF8.self)
  }
}
