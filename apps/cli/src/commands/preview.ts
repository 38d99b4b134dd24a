import { ApiError, type Client, Unreachable } from '@macbatch/client';
import type { JobHeader } from '@macbatch/contract';
import {
  KnownKeys,
  type LedgerAnswer,
  restText,
  type Survey,
  surveyInput,
  surveyText,
  triedText,
  tryItems,
} from '@macbatch/job-files';
import { EXIT, Failure, printJson, printLine, type Terminal, type watchJob } from '@macbatch/terminal';
import { askPerson } from '../options/ask-person.ts';
import type { FileJob } from '../options/job-draft.ts';

/** The control plane whose ledger is asked, or why none is. */
export type Ledger = Client | { readonly notAsked: string };

/** Shows what a job would hold, and sends no payload. Throws a `Failure` if it would be refused. */
export async function dryRun(
  { draft: { header }, input }: FileJob,
  ledger: Ledger,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const { survey, answer } = await surveyWithLedger({ header, input }, ledger, terminal);
  if (json) {
    const files = input.files.map(({ name, format }) => ({ name, format: format.kind }));
    printJson(terminal.stdout, { files, job: header, ...survey, ledger: answer });
  } else {
    printLine(terminal.stdout, surveyText(header, survey, answer));
    printLine(terminal.stdout, '\ndry run: nothing was sent');
  }
  if (survey.items === 0) throw new Failure(EXIT.usage, 'The input has no items.');
  if (survey.repeatedIds.length > 0)
    throw new Failure(EXIT.usage, 'The job would be refused, because an id is used twice.');
}

/**
 * Runs some items of a job, shows them and the estimate for the others, and asks whether to go on. Returns the answer.
 * Nothing is left running if it is no, or after an interruption.
 */
export async function tryFirst(
  { draft: { header }, input }: FileJob,
  client: Client,
  { count, yes }: { readonly count: number; readonly yes: boolean },
  terminal: Terminal,
  signal: AbortSignal,
  onExplained?: Parameters<typeof watchJob>[4],
): Promise<boolean> {
  const { survey, answer } = await surveyWithLedger({ header, input }, client, terminal);
  if (survey.items === 0) throw new Failure(EXIT.usage, 'The input has no items.');
  const job = { header, input, count, total: survey.items };
  const tried = await tryItems(client, job, terminal, signal, onExplained);
  // The whole job takes the outputs of the tried items from the ledger, if it reuses outputs at all.
  const ran = reuses(header) ? tried.filter(({ isReused }) => !isReused).length : 0;
  const open = 'notAsked' in answer ? survey.items : answer.asked - answer.known;
  printLine(terminal.stderr, `\n${triedText(tried)}\n`);
  printLine(terminal.stderr, restText(tried, Math.max(0, open - ran)));
  return yes || (await isConfirmed(terminal, signal));
}

async function isConfirmed(terminal: Terminal, signal: AbortSignal): Promise<boolean> {
  const answer = await askPerson('Go on?', terminal, signal);
  if (answer === null)
    printLine(
      terminal.stderr,
      'This is not a terminal, so nobody can be asked. To run the others, add --yes.',
    );
  if (answer === false) printLine(terminal.stderr, 'The other items were not submitted.');
  return answer === true;
}

async function surveyWithLedger(
  { header, input }: Pick<FileJob, 'input'> & { readonly header: JobHeader },
  ledger: Ledger,
  terminal: Terminal,
): Promise<{ readonly survey: Survey; readonly answer: LedgerAnswer }> {
  if (!reuses(header)) return unasked(header, input, 'this job reuses no outputs');
  if ('notAsked' in ledger) return unasked(header, input, ledger.notAsked);
  const keys = new KnownKeys(ledger, terminal.interrupted);
  try {
    const survey = await surveyInput(header, input, (key) => keys.add(key));
    return { survey, answer: await keys.counts() };
  } catch (error) {
    // Also a control plane of an earlier release, which has no such route.
    if (!(error instanceof Unreachable || error instanceof ApiError)) throw error;
    return unasked(header, input, error.message);
  }
}

/** Whether a job takes known outputs from the ledger. */
function reuses({ reuse, job_type }: JobHeader): boolean {
  return reuse !== 'none' && job_type !== 'noop';
}

async function unasked(header: JobHeader, input: FileJob['input'], notAsked: string) {
  return { survey: await surveyInput(header, input), answer: { notAsked } };
}
