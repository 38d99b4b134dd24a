import { jsonProblem, objectMembers, type Slice } from '@macbatch/core';
import type { InputRecord } from './input-record.ts';
import { placeFailure } from './place.ts';

/** The name of the only column of a record that is a text. */
const TEXT_COLUMN = 'text';

/** Makes a record of JSON text. Throws a `Failure` if it is not JSON. `hint` is added to the message. */
export function jsonRecord(text: string, place: string, defaultId: string, hint = ''): InputRecord {
  const trimmed = text.trim();
  try {
    JSON.parse(trimmed);
  } catch (error) {
    throw placeFailure(place, `is not JSON: ${jsonProblem(error)}${hint}`);
  }
  return new JsonRecord(text, trimmed, place, defaultId);
}

/** Makes a record of a line of text. */
export function textRecord(text: string, place: string, defaultId: string): InputRecord {
  const json = JSON.stringify(text);
  return new JsonRecord(json, json, place, defaultId);
}

class JsonRecord implements InputRecord {
  readonly place: string;
  readonly defaultId: string;
  readonly isRow = false;
  readonly #written: string;
  readonly #text: string;
  #members: readonly { readonly name: string; readonly value: Slice }[] | null = null;

  constructor(written: string, text: string, place: string, defaultId: string) {
    this.place = place;
    this.defaultId = defaultId;
    this.#written = written;
    this.#text = text;
  }

  json(): string {
    return this.#written;
  }

  columns(): readonly string[] {
    if (this.#text.startsWith('"')) return [TEXT_COLUMN];
    return this.#topMembers().map(({ name }) => name);
  }

  value(column: string): string | null {
    if (this.#text.startsWith('"')) return column === TEXT_COLUMN ? this.#text : null;
    return valueAt(this.#text, this.#topMembers(), column);
  }

  text(column: string): string | null {
    const value = this.value(column);
    if (value === null) return null;
    if (value.startsWith('"')) return String(JSON.parse(value));
    return value === 'null' ? '' : value;
  }

  #topMembers() {
    this.#members ??= this.#text.startsWith('{') ? objectMembers(this.#text) : [];
    return this.#members;
  }
}

/** Finds the member of this name, else follows the dots in the name. The last of equal names counts, as in `JSON.parse`. */
function valueAt(
  text: string,
  members: readonly { readonly name: string; readonly value: Slice }[],
  name: string,
): string | null {
  const found = members.findLast((member) => member.name === name);
  if (found !== undefined) return text.slice(found.value.start, found.value.end);
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const inner = valueAt(text, members, name.slice(0, dot));
    if (inner?.startsWith('{') !== true) continue;
    const value = valueAt(inner, objectMembers(inner), name.slice(dot + 1));
    if (value !== null) return value;
  }
  return null;
}
