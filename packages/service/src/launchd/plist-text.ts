/** A value of a property list. Numbers are whole. */
export type PlistValue =
  | string
  | number
  | boolean
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue };

/** Returns the text of an XML property list. */
export function plistText(value: PlistValue): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${element(value, '')}
</plist>
`;
}

function element(value: PlistValue, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return `${indent}<string>${escaped(value)}</string>`;
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${indent}<${value}/>`;
  if (isArray(value))
    return [`${indent}<array>`, ...value.map((each) => element(each, inner)), `${indent}</array>`].join('\n');
  const members = Object.entries(value).flatMap(([key, each]) => [
    `${inner}<key>${escaped(key)}</key>`,
    element(each, inner),
  ]);
  return [`${indent}<dict>`, ...members, `${indent}</dict>`].join('\n');
}

// Array.isArray does not narrow read-only arrays.
function isArray(value: PlistValue): value is readonly PlistValue[] {
  return Array.isArray(value);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
