import { isLocalNetworkHost } from '@macbatch/core';
import { type Finding, finding } from '../finding.ts';

/** How a host of the local network was reached. */
export interface Reach {
  /** Host and port of the control plane or of a model server. */
  readonly host: string;
  readonly port: number;
  /** The code of the error of Node's connection; null if it was made. */
  readonly nodeError: string | null;
  /** Whether Apple's nc made a connection; null if it was not tried. macOS does not restrict it. */
  readonly reachedByApple: boolean | null;
  /** The last problem in the log of the service; null if it has none, or is not installed. */
  readonly serviceProblem: string | null;
}

const FIX =
  'Allow it in System Settings > Privacy & Security > Local Network. If it is not listed: macbatch worker install --boot (macOS does not restrict daemons), or use an address outside of the local network, such as a public name with TLS.';

/** Judges whether macOS keeps this program, or the service, out of the local network. Null: there is nothing to say. */
export function judgeLocalNetwork({
  host,
  port,
  nodeError,
  reachedByApple,
  serviceProblem,
}: Reach): Finding | null {
  if (!isLocalNetworkHost(host)) return null;
  const at = `${host}:${port}`;
  if (nodeError === 'EHOSTUNREACH' && reachedByApple === true)
    return finding(
      'local network',
      'fail',
      `macOS keeps Node out of the local network: Node cannot reach ${at} (EHOSTUNREACH), but Apple's nc can`,
      FIX,
    );
  if (nodeError === 'EHOSTUNREACH')
    return finding(
      'local network',
      'fail',
      `no way to ${at} (EHOSTUNREACH), also for Apple's nc`,
      'Check that the other machine is on and in this network.',
    );
  if (nodeError === null && serviceProblem !== null && /EHOSTUNREACH|no route/i.test(serviceProblem))
    return finding(
      'local network',
      'fail',
      `macOS keeps the service out of the local network: this terminal reaches ${at}, the service does not`,
      FIX,
    );
  if (nodeError === null) return finding('local network', 'ok', `${at} can be reached`);
  return null;
}
