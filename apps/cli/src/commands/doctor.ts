import { homedir } from 'node:os';
import {
  drawFindings,
  examineControl,
  examineInstallation,
  examineMac,
  examineMachine,
  examineModels,
  type Finding,
  finding,
  MODEL_SERVER_PORTS,
} from '@macbatch/doctor';
import { readInstalledService } from '@macbatch/service';
import { DEFAULT_CONTROL_URL } from '@macbatch/settings';
import { EXIT, Failure, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { VERSION } from '../version.ts';
import { addCommand } from './command-names.ts';

interface DoctorOptions extends ConnectionOptions {
  readonly modelServer: readonly string[];
}

/** Adds the command `doctor`. */
export function addDoctor(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'doctor'))
    .option(
      '--model-server <url>',
      'URL of another model server to check, such as http://127.0.0.1:9000/v1 (repeatable)',
      (url: string, urls: readonly string[]) => [...urls, url],
      [],
    )
    .action(async (options: DoctorOptions) => {
      const groups = await Promise.all([
        examineConnection(options, terminal),
        examineMachine(terminal),
        examineModels(options.modelServer),
        examineHost(options, terminal),
      ]);
      const findings = groups.flat();
      const ok = findings.every(({ state }) => state !== 'fail');
      if (options.json === true) printJson(terminal.stdout, { ok, findings });
      else printLine(terminal.stdout, drawFindings(findings, terminal.stdout));
      if (!ok) throw new Failure(EXIT.incomplete, '');
    });
}

/** Checks what is installed on this machine, and what macOS allows. */
async function examineHost({ url, modelServer }: DoctorOptions, { env }: Terminal): Promise<Finding[]> {
  const kind = process.platform === 'darwin' ? 'launchd' : 'systemd';
  const service = await readInstalledService({ kind, home: env['HOME'] ?? homedir(), env });
  const installation = examineInstallation(env['PATH'], process.argv[1] ?? '', service);
  if (kind !== 'launchd') return installation;
  const urls = [url ?? env['MACBATCH_URL'] ?? DEFAULT_CONTROL_URL, ...modelServer];
  return [...installation, ...(await examineMac(urls, MODEL_SERVER_PORTS, service))];
}

async function examineConnection(options: DoctorOptions, terminal: Terminal): Promise<Finding[]> {
  try {
    return await examineControl(connect(options, terminal), VERSION, Date.now);
  } catch (error) {
    // A wrong setting is a finding like any other.
    if (!(error instanceof Failure)) throw error;
    return [
      finding(
        'connection',
        'fail',
        error.message.replaceAll(/\s*\n\s*/g, ' '),
        'Correct the setting that is named.',
      ),
    ];
  }
}
