/// The parameters of a request, as Rails merges them: those of the query string replace those of the body.
/// RequestParameters.swift in SelfieAPI reads them, and converts them to the types that an endpoint needs.
package struct Parameters: Sendable, Equatable {
  package let values: [String: ParameterValue]

  /// The parameters of a query or a body, after Rails' `deep_munge`.
  package init(_ values: [String: ParameterValue] = [:]) {
    self.values = values.isEmpty ? values : Self.munged(values)
  }

  private init(munged values: [String: ParameterValue]) { self.values = values }

  /// Merges these parameters, of a body, with those of the query, as Rails does with
  /// `request_parameters.merge(query_parameters)`. A null of the query replaces a value of the body.
  package func replaced(by query: Parameters) -> Parameters {
    if query.values.isEmpty { return self }
    if values.isEmpty { return query }
    return Parameters(munged: values.merging(query.values) { _, fromQuery in fromQuery })
  }

  /// How many names, and how many bytes of each, are compared: to sort thousands would hold up an event loop.
  private static let (maxSortedNames, maxSortedBytes) = (64, 64)

  /// Some of the names, all of them if they are no more than 64, in the order of their bytes.
  package var someNames: [String] {
    values.keys.prefix(Self.maxSortedNames).sorted {
      $0.utf8.prefix(Self.maxSortedBytes).lexicographicallyPrecedes($1.utf8.prefix(Self.maxSortedBytes))
    }
  }

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
  /// A key, which is UTF-8, as text. Each letter that is not ASCII becomes a question mark: a dictionary normalises its
  /// keys, which takes a microsecond for a letter, and more in a run of combining marks. No endpoint knows such a name.
  ///
  /// - Parameter maxUnicodeBytes: of a key that stays as it is.
  init(parameterName key: ArraySlice<UInt8>, maxUnicodeBytes: Int = 0) {
    if key.count <= maxUnicodeBytes || key.allSatisfy({ $0 < 0x80 }) {
      self.init(decoding: key, as: UTF8.self)
    } else {
      let isContinuation = { (byte: UInt8) in byte & 0b1100_0000 == 0b1000_0000 }
      let letters = key.lazy.filter { !isContinuation($0) }.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
      self.init(decoding: Array(letters), as: UTF8.self)
    }
  }
}
