/** One record of an input file, which becomes an item. */
export interface InputRecord {
  /** Where it is, for messages: `line 4`, or `item 4 (line 9)` of a JSON array. */
  readonly place: string;
  /** The id of a record without an id of its own: `line-4` or `item-4`. */
  readonly defaultId: string;
  /** A row of a table has named columns and no payload of its own. */
  readonly isRow: boolean;
  /** The record as JSON text, exactly as the file has it. A row is an object of texts. */
  json(): string;
  columns(): readonly string[];
  /** The JSON text of a column; null if there is no such column. A name with dots also finds members of members. */
  value(column: string): string | null;
  /** The text of a column: the characters of a string, the JSON text of another value, nothing for null. */
  text(column: string): string | null;
}
