interface Issue {
  readonly path: readonly PropertyKey[] | string;
  readonly message: string;
}

/** The control plane's reply does not fit the contract. The message names the first field that does not. */
export class UnreadableReply extends Error {
  constructor(route: string, issues: readonly Issue[]) {
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    const what = first === undefined ? '' : `: ${pathText(first.path)}: ${first.message}${more}`;
    super(
      `The control plane's reply to ${route} cannot be read${what}. Does it have the same version as this program?`,
    );
    this.name = 'UnreadableReply';
  }
}

function pathText(path: Issue['path']): string {
  if (typeof path === 'string') return path;
  return path.length === 0 ? 'the whole reply' : path.map(String).join('.');
}
