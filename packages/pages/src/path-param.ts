/** Reads a parameter that the path of a route has. */
export function pathParam(params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new TypeError(`the path has no parameter ${name}`);
  return value;
}
