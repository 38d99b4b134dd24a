import { parse } from 'postgres-array';

type Elements = readonly (string | number | bigint | null)[];

function arrayType(oid: number, element: (text: string) => unknown = (text) => text) {
  return {
    to: oid,
    from: [oid],
    serialize: (elements: Elements) => `{${elements.map(toText).join(',')}}`,
    parse: (text: string) => parse(text, element),
  };
}

function toText(element: string | number | bigint | null): string {
  return element === null ? 'NULL' : `"${String(element).replaceAll(/["\\]/g, '\\$&')}"`;
}

/**
 * The array types that statements use, with their fixed object ids. The driver can ask the server for them
 * (`fetch_types`), but a connection lost during that request ends the process with an uncaught error.
 */
export const ARRAY_TYPES = {
  int4s: arrayType(1007, Number),
  texts: arrayType(1009),
  int8s: arrayType(1016),
  uuids: arrayType(2951),
};
