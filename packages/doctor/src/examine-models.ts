import { z } from 'zod';
import { type Finding, finding } from './finding.ts';

const DEFAULT_SERVERS = [
  { name: 'Ollama', url: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', url: 'http://127.0.0.1:1234/v1' },
  { name: 'mlx_lm or llama-server', url: 'http://127.0.0.1:8080/v1' },
  { name: 'vLLM', url: 'http://127.0.0.1:8000/v1' },
] as const;

/** The ports on which model servers wait by default. */
export const MODEL_SERVER_PORTS: readonly number[] = DEFAULT_SERVERS.map(({ url }) =>
  Number(new URL(url).port),
);

/** A healthy server lists its models immediately. */
const TIMEOUT_MS = 2000;
const MAX_SHOWN_MODELS = 5;

const Models = z.object({ data: z.array(z.object({ id: z.string() })) });

type Answer =
  | { readonly kind: 'models'; readonly models: readonly string[] }
  | { readonly kind: 'timeout' | 'unreachable' | 'other'; readonly problem: string };

/** Looks for model servers on their default ports, and checks the servers that the user names. */
export async function examineModels(urls: readonly string[]): Promise<Finding[]> {
  const [defaults, named] = await Promise.all([
    Promise.all(DEFAULT_SERVERS.map(async ({ name, url }) => judgeDefault(name, url, await modelsAt(url)))),
    Promise.all(urls.map(async (url) => judgeNamed(url, await modelsAt(url)))),
  ]);
  const findings = [...named, ...defaults.filter((each) => each !== null)];
  if (findings.length > 0) return findings;
  return [
    finding(
      'model server',
      'info',
      'no server on the default ports of this machine; a worker runs classify and embed without one',
      'Start Ollama, LM Studio, mlx_lm, llama-server or vLLM, or name another with --model-server URL.',
    ),
  ];
}

function judgeDefault(name: string, url: string, answer: Answer): Finding | null {
  if (answer.kind === 'unreachable') return null;
  if (answer.kind === 'models') return judgeModels(`${name} at ${url}`, answer.models);
  return finding('model server', 'info', `${url}, the default of ${name}, ${answer.problem}`);
}

function judgeNamed(url: string, answer: Answer): Finding {
  if (answer.kind === 'models') return judgeModels(url, answer.models);
  return finding(
    'model server',
    'fail',
    `${url} ${answer.problem}`,
    'Start the server, or correct its URL: http://HOST:PORT/v1',
  );
}

function judgeModels(server: string, models: readonly string[]): Finding {
  if (models.length === 0)
    return finding('model server', 'warn', `${server} has no model`, 'Load one there (ollama pull NAME).');
  const more = models.length > MAX_SHOWN_MODELS ? ` and ${models.length - MAX_SHOWN_MODELS} more` : '';
  return finding(
    'model server',
    'ok',
    `${server} has ${models.slice(0, MAX_SHOWN_MODELS).join(', ')}${more}`,
  );
}

async function modelsAt(url: string): Promise<Answer> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/models`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return { kind: 'other', problem: `answers HTTP ${response.status} to GET /models` };
    const list = Models.safeParse(await response.json().catch(() => undefined));
    if (!list.success) return { kind: 'other', problem: 'answers GET /models without a list of models' };
    return { kind: 'models', models: list.data.data.map(({ id }) => id) };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return { kind: 'timeout', problem: `does not answer within ${TIMEOUT_MS} ms` };
    return { kind: 'unreachable', problem: 'cannot be reached' };
  }
}
