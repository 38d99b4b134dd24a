import {
  drawFindings,
  examineControl,
  examineMachine,
  examineModels,
  type Finding,
  finding,
} from '@macbatch/doctor';
import { EXIT, Failure, say, sayJson, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { VERSION } from '../version.ts';

interface DoctorOptions extends ConnectionOptions {
  readonly modelServer: readonly string[];
}

export function addDoctor(program: Command, terminal: Terminal): void {
  withConnection(
    program
      .command('doctor')
      .description(
        'look for what is wrong here and at the control plane, and say what to do; exit 1 if anything is',
      ),
  )
    .option(
      '--model-server <url>',
      'also look for models here, as in http://127.0.0.1:9000/v1; may be repeated',
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
      if (options.json === true) sayJson(terminal.stdout, { ok, findings });
      else say(terminal.stdout, drawFindings(findings, terminal.stdout));
      if (!ok) throw new Failure(EXIT.incomplete, '');
    });
}

async function examineConnection(options: DoctorOptions, terminal: Terminal): Promise<Finding[]> {
  try {
    return await examineControl(connect(options, terminal), VERSION, Date.now);
  } catch (error) {
    // What the environment says is wrong is a finding like any other.
    if (!(error instanceof Failure)) throw error;
    return [
      finding('connection', 'fail', error.message.replaceAll(/\s*\n\s*/g, ' '), 'Correct what is named.'),
    ];
  }
}
