import {
  drawFindings,
  examineControl,
  examineMachine,
  examineModels,
  type Finding,
  finding,
} from '@macbatch/doctor';
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
      ]);
      const findings = groups.flat();
      const ok = findings.every(({ state }) => state !== 'fail');
      if (options.json === true) printJson(terminal.stdout, { ok, findings });
      else printLine(terminal.stdout, drawFindings(findings, terminal.stdout));
      if (!ok) throw new Failure(EXIT.incomplete, '');
    });
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
