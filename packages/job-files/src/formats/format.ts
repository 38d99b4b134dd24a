export const INPUT_FORMATS = ['jsonl', 'json', 'csv', 'tsv', 'lines'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** How a table is written. */
export interface TableDialect {
  readonly delimiter: ',' | ';' | '\t';
  /** Lines end with `\r` alone, as on the first Macs. */
  readonly oldMac: boolean;
}

/** The format of a file, and what is needed to read it. */
export type FoundFormat =
  | { readonly kind: 'jsonl' | 'json' | 'lines' }
  | ({ readonly kind: 'csv' | 'tsv' } & TableDialect);

/** Describes a format for people. */
export function formatText(format: FoundFormat): string {
  switch (format.kind) {
    case 'jsonl':
      return 'JSON lines';
    case 'json':
      return 'a JSON array';
    case 'lines':
      return 'lines of text';
    case 'tsv':
      return 'TSV';
    case 'csv':
      return format.delimiter === ';' ? 'CSV with semicolons' : 'CSV';
  }
}
