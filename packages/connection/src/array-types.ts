import { parse } from 'postgres-array';

type Elements = readonly (string | number | bigint | null)[];

function arrayType(oid: number, element: (text: string) => unknown = (text) => text) {
  return {
    to: oid,
    from: [oid],
    serialize: (elements: Elements) => `{${elements.map(written).join(',')}}`,
    parse: (text: string) => parse(text, element),
  };
}

function written(element: string | number | bigint | null): string {
  return element === null ? 'NULL' : `"${String(element).replaceAll(/["\\]/g, '\\$&')}"`;
}

/**
 * The array types that statements use, by their fixed object ids. The driver would ask the server for them
 * (`fetch_types`), and a connection that is lost meanwhile ends the process: nobody is there to be told.
 */
export const ARRAY_TYPES = {
  int4s: arrayType(1007, Number),
  texts: arrayType(1009),
  int8s: arrayType(1016),
  uuids: arrayType(2951),
};
