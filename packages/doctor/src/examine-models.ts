import { z } from 'zod';
import { type Finding, finding } from './finding.ts';

const USUAL = [
  { name: 'Ollama', url: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', url: 'http://127.0.0.1:1234/v1' },
  { name: 'mlx_lm or llama-server', url: 'http://127.0.0.1:8080/v1' },
  { name: 'vLLM', url: 'http://127.0.0.1:8000/v1' },
] as const;

/** A server that is well tells its models at once. */
const DEADLINE_MS = 2000;
const SHOWN = 5;

const Models = z.object({ data: z.array(z.object({ id: z.string() })) });

type Answer =
  | { readonly kind: 'models'; readonly models: readonly string[] }
  | { readonly kind: 'silent' | 'nobody' | 'other'; readonly why: string };

/** Looks for model servers where they usually listen, and where `named` says that there is one. */
export async function examineModels(named: readonly string[]): Promise<Finding[]> {
  const [usual, asked] = await Promise.all([
    Promise.all(USUAL.map(async ({ name, url }) => judgeUsual(name, url, await modelsAt(url)))),
    Promise.all(named.map(async (url) => judgeNamed(url, await modelsAt(url)))),
  ]);
  const found = [...asked, ...usual.filter((each) => each !== null)];
  if (found.length > 0) return found;
  return [
    finding(
      'model server',
      'info',
      'none on the usual ports of this machine; a worker runs classify and embed without one',
      'Start Ollama, LM Studio, mlx_lm, llama-server or vLLM, or name another with --model-server URL.',
    ),
  ];
}

function judgeUsual(name: string, url: string, answer: Answer): Finding | null {
  if (answer.kind === 'nobody') return null;
  if (answer.kind === 'models') return judgeList(`${name} at ${url}`, answer.models);
  return finding('model server', 'info', `${url}, where ${name} would be, ${answer.why}`);
}

function judgeNamed(url: string, answer: Answer): Finding {
  if (answer.kind === 'models') return judgeList(url, answer.models);
  return finding(
    'model server',
    'fail',
    `${url} ${answer.why}`,
    'Start the server, or name it as --endpoint does: http://HOST:PORT/v1',
  );
}

function judgeList(who: string, models: readonly string[]): Finding {
  if (models.length === 0)
    return finding('model server', 'warn', `${who} has no model`, 'Load one there (ollama pull NAME).');
  const more = models.length > SHOWN ? ` and ${models.length - SHOWN} more` : '';
  return finding('model server', 'ok', `${who} has ${models.slice(0, SHOWN).join(', ')}${more}`);
}

async function modelsAt(url: string): Promise<Answer> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/models`, {
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    if (!response.ok) return { kind: 'other', why: `answers HTTP ${response.status} to GET /models` };
    const list = Models.safeParse(await response.json().catch(() => undefined));
    if (!list.success) return { kind: 'other', why: 'answers, and with no list of models' };
    return { kind: 'models', models: list.data.data.map(({ id }) => id) };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return { kind: 'silent', why: `does not answer within ${DEADLINE_MS} ms` };
    return { kind: 'nobody', why: 'can not be reached' };
  }
}
