/** An invitation for one worker. */
export interface Invitation {
  /** URL of the control plane. */
  readonly url: string;
  readonly token: string;
  /** The only worker that may use it. */
  readonly workerId?: string;
}

/**
 * Returns the line to paste into a shell of another Mac: installs macbatch, joins the pool and installs the worker as a
 * service. Works in sh, bash, zsh and fish. The token is in the environment of one command only: other users can see
 * the arguments of a process, and npm runs programs of others.
 */
export function invitationLine({ url, token, workerId }: Invitation): string {
  const id = workerId === undefined ? '' : ' --id "$1"';
  const script = [
    'T=$MACBATCH_JOIN_TOKEN; unset MACBATCH_JOIN_TOKEN',
    'if ! command -v npm >/dev/null; then echo "First install Node 24, for example: brew install node@24" >&2; exit 1; fi',
    'command -v macbatch >/dev/null || npm install --global macbatch || exit',
    `MACBATCH_JOIN_TOKEN=$T macbatch worker join "$0"${id} && macbatch worker install${id}`,
  ].join('; ');
  const variables = [
    `MACBATCH_JOIN_TOKEN=${quoted(token)}`,
    ...(isOpenHttp(url) ? ['MACBATCH_ALLOW_HTTP=1'] : []),
  ];
  const args = [url, ...(workerId === undefined ? [] : [workerId])].map(quoted);
  return [...variables, 'sh', '-c', `'${script}'`, ...args].join(' ');
}

/** Quotes for a POSIX shell and for fish, where a backslash before a quote or a backslash counts within quotes too. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (character) => (character === "'" ? `'"'"'` : `'"\\\\"'`))}'`;
}

/** Whether the URL is plain HTTP to another machine, which a worker refuses unless a person allows it. */
function isOpenHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
