export type NodeVersion = readonly [major: number, minor: number];

/** Reads the oldest version from a range of the form `>=22.19`, as in `engines`. */
export function oldestNode(range: string): NodeVersion {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(range) ?? [];
  if (major === undefined || minor === undefined) throw new Error(`not of the form >=22.19: ${range}`);
  return [Number(major), Number(minor)];
}
