export interface WorkerUnitOptions {
  readonly launcher: string;
  readonly crashLog: string;
  readonly workingFolder: string;
  readonly path: readonly string[];
}

/** Returns the unit of the worker for the systemd of a user. */
export function workerUnit({ launcher, crashLog, workingFolder, path }: WorkerUnitOptions): string {
  return `[Unit]
Description=macbatch worker
Documentation=man:systemd.service(5)
# Sixty restarts in an hour: something is wrong that a restart does not mend.
StartLimitIntervalSec=3600
StartLimitBurst=60

[Service]
ExecStart=${quoted(launcher)}
Restart=on-failure
RestartSec=10
# The worker stops its own children.
KillMode=mixed
TimeoutStopSec=30
UMask=0077
Environment=${quoted(`PATH=${path.join(':')}`)}
WorkingDirectory=${specifiersEscaped(workingFolder)}
StandardOutput=append:${specifiersEscaped(crashLog)}
StandardError=inherit

[Install]
WantedBy=default.target
`;
}

/** Quotes a text as one word of a unit file. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('$', () => '$$');
  return `"${specifiersEscaped(escaped)}"`;
}

function specifiersEscaped(text: string): string {
  return text.replaceAll('%', '%%');
}
