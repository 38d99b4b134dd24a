/** Returns `text` as one of `values`. Throws when a newer version of the program has stored another value. */
export function knownValue<Value extends string>(values: readonly Value[], text: string): Value {
  const value = values.find((known) => known === text);
  if (value === undefined)
    throw new TypeError(`The database holds ${text}, which this version of macbatch does not know.`);
  return value;
}
