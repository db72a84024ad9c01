import CPostgreSQL

/// The type of a result's column: the object identifier of a row of pg_type.
struct ColumnType: Equatable {
  let rawValue: Oid

  static let boolean = ColumnType(rawValue: 16)
  static let bytea = ColumnType(rawValue: 17)

  /// bigint, smallint or integer.
  var isInteger: Bool { rawValue == 20 || rawValue == 21 || rawValue == 23 }
  /// name, text, character or character varying.
  var isText: Bool { rawValue == 19 || rawValue == 25 || rawValue == 1042 || rawValue == 1043 }
}
