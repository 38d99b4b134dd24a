import { type Finding, finding } from '../finding.ts';

/** A program that waits for connections, as lsof lists it. */
interface Listener {
  readonly command: string;
  readonly address: string;
  readonly port: number;
}

/** Addresses at which 127.0.0.1 is answered too. */
const REACHED_AT_LOOPBACK: ReadonlySet<string> = new Set(['*', '127.0.0.1', '0.0.0.0', 'localhost', '[::]']);

/**
 * Finds model servers that wait on a default port, but at another address than 127.0.0.1, in the output of
 * `lsof -nP -iTCP -sTCP:LISTEN`.
 */
export function judgeListeners(lsofOutput: string, ports: readonly number[]): Finding[] {
  const listeners = lsofOutput.split('\n').flatMap(listenerOf);
  return ports.flatMap((port) => {
    const here = listeners.filter((each) => each.port === port);
    if (here.some(({ address }) => REACHED_AT_LOOPBACK.has(address))) return [];
    const [other] = here;
    if (other === undefined) return [];
    return [
      finding(
        'model server',
        'warn',
        `${other.command} waits at ${other.address}:${port}, not at 127.0.0.1`,
        `Start the worker with --endpoint http://${other.address}:${port}/v1, or have the server listen at 127.0.0.1 (Ollama: OLLAMA_HOST=127.0.0.1).`,
      ),
    ];
  });
}

function listenerOf(line: string): Listener[] {
  const [, command, address, port] = /^(\S+)\s.*\sTCP\s+(\S+):(\d{1,5})\s+\(LISTEN\)\s*$/.exec(line) ?? [];
  if (command === undefined || address === undefined || port === undefined) return [];
  // lsof writes a space in a name as \x20.
  return [{ command: command.replaceAll(/\\x20/g, ' '), address, port: Number(port) }];
}
