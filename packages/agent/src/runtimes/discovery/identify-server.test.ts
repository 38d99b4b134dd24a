import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECORDED_SERVERS, STRANGERS } from '../../testing/recorded-servers.ts';
import { isModelName } from './found-model.ts';
import { type Answers, IDENTIFYING_PATHS, identify, pathsOf } from './identify-server.ts';
import { SERVER_KINDS } from './server-kinds.ts';

const CHAT = ['chat', 'generate'];
const ALL = ['chat', 'generate', 'embed'];

/** The models of a server: name, job types, whether loaded, context length. */
const EXPECTED: Readonly<Record<keyof typeof RECORDED_SERVERS, [kind: string, ...models: unknown[][]]>> = {
  Ollama: [
    'ollama',
    ['llama3:latest', ALL, true, 4096],
    ['codellama:13b', ALL, false, null],
    ['nomic-embed-text:latest', ['embed'], false, null],
    // Without gpt-oss:120b-cloud, whose prompts would leave this machine.
  ],
  'LM Studio': [
    'lm-studio',
    ['gemma-3-270m-it-qat', CHAT, true, 4096],
    ['qwen3-4b', CHAT, false, 40_960],
    ['text-embedding-nomic-embed-text-v1.5-embedding', ['embed'], false, 2048],
  ],
  'LM Studio before 0.4': [
    'lm-studio',
    ['text-embedding-nomic-embed-text-v1.5', ['embed'], true, 1024],
    ['qwen2-vl-7b-instruct', CHAT, false, 32_768],
  ],
  'llama-server': ['llama-server', ['tiny-demo', ALL, true, 256]],
  'llama-server with several models': [
    'llama-server',
    ['gemma-3-4b-it', ALL, true, null],
    ['Qwen3-0.6B-Q4_K_M', ALL, false, null],
  ],
  'llama-server, loading': ['llama-server'],
  'mlx_lm.server': ['mlx-lm', ['mlx-community/Llama-3.2-3B-Instruct-4bit', CHAT, null, null]],
  oMLX: ['omlx', ['Qwen3-8B-4bit', ALL, null, 32_768]],
  exo: ['exo', ['mlx-community/Llama-3.2-1B-Instruct-4bit', ['chat'], null, 131_072]],
  vLLM: ['vllm', ['Qwen/Qwen3-0.6B', ALL, null, 40_960]],
  'whisper.cpp': ['whisper'],
};

describe('identifies by its answers', () => {
  it.each(Object.entries(RECORDED_SERVERS))('%s', (name, answers: Answers) => {
    const found = identify(answers);
    const models =
      found.kind === null
        ? []
        : found.models.map((each) => [each.name, each.jobTypes, each.loaded, each.contextLength]);
    expect([found.kind, ...models]).toEqual(EXPECTED[name as keyof typeof EXPECTED]);
    expect(found).toMatchObject({ isLoading: name === 'llama-server, loading' });
  });

  it.each(Object.entries(RECORDED_SERVERS))(
    '%s, asked only for the paths of its kind',
    (_, answers: Answers) => {
      const { kind } = identify(answers);
      const paths: readonly string[] = kind === null ? [] : pathsOf(kind);
      const some = Object.fromEntries(Object.entries(answers).filter(([path]) => paths.includes(path)));
      expect(identify(some)).toEqual(identify(answers));
    },
  );
});

it.each<[name: keyof typeof STRANGERS, problem: string]>([
  ['a web page', 'it shows a web page: My blog'],
  ['the sign-in page of a network', 'it shows a web page: Welcome to Hotel Wi-Fi'],
  ['a server without a list', 'its answer is no list of models (status 404)'],
  ['Ollama that answers 200 with an error', 'its answer is no list of models (status 200)'],
  ['Ollama that answers nothing', 'its answer is no list of models (status 200)'],
  ['Ollama that answers half of its JSON', 'its answer is no list of models (status 200)'],
  ['a server that asks for a key', 'it asks for a key (status 401)'],
  ['a pool of macbatch', 'it lists models, but is none of the servers that macbatch knows'],
  [
    'an unknown server that names no owners',
    'it lists models, but is none of the servers that macbatch knows',
  ],
  ['an unknown server with a list', 'it lists models, but is none of the servers that macbatch knows'],
])('does not take %s for a model server', (name, problem) => {
  expect(identify(STRANGERS[name] ?? {})).toEqual({ kind: null, problem });
});

describe('a hostile list', () => {
  const listing = (entries: readonly unknown[]): Answers => ({
    '/v1/models': { status: 200, json: { data: entries }, text: '' },
  });
  const modelsIn = (entries: readonly unknown[]) => {
    const found = identify(listing([{ id: 'first', owned_by: 'vllm' }, ...entries]));
    return found.kind === null ? [] : found.models.map(({ name }) => name);
  };

  it('of 10,000 models gives 100', () => {
    expect(modelsIn(Array.from({ length: 10_000 }, (_, n) => ({ id: `m${n}` })))).toHaveLength(100);
  });

  it('has each name once', () => {
    expect(modelsIn([{ id: 'a' }, { id: 'a' }, { id: 'first' }])).toEqual(['first', 'a']);
  });

  it.each([
    ['a name of 1 MB', 'x'.repeat(1024 * 1024)],
    ['no name', ''],
    ['a number', 7],
    ['an escape sequence', '\u001b[2Jevil'],
    ['a line end', 'a\nb'],
    ['spaces around', ' a '],
    ['half a character', 'a\ud800'],
  ])('with %s offers no such model', (_, id) => {
    expect(modelsIn([{ id }])).toEqual(['first']);
  });

  it.each([[-1], [0], [1.5], ['4096'], [1e300], [null]])(
    'with the context length %j has none',
    (max_model_len) => {
      const found = identify(listing([{ id: 'a', owned_by: 'vllm', max_model_len }]));
      expect(found).toMatchObject({ models: [{ contextLength: null }] });
    },
  );
});

it('finds nothing that no job could name, and never throws, whatever a server answers', () => {
  const words = fc.constantFrom(
    ...['data', 'models', 'id', 'name', 'key', 'owned_by', 'version', 'state', 'status', 'total_slots'],
    ...['llamacpp', 'vllm', 'exo', 'omlx', 'loaded', 'ok', 'llm', 'details', 'family', 'capabilities'],
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, -1, 0, 4, 1e300, '', '\ud800', '\u001b[2J'),
      words,
      fc.string(),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(words, tie('any'), { maxKeys: 4 }),
    ),
  })).any;
  const answer = fc.record({ status: fc.constantFrom(200, 404, 500, 503), json: value, text: fc.string() });
  const answers = fc.dictionary(fc.constantFrom(...IDENTIFYING_PATHS), answer);
  fc.assert(
    fc.property(answers, (given) => {
      const found = identify(given);
      if (found.kind === null) {
        expect(found.problem).not.toBe('');
        return;
      }
      expect(SERVER_KINDS).toHaveProperty(found.kind);
      expect(found.models.length).toBeLessThanOrEqual(100);
      expect(new Set(found.models.map(({ name }) => name)).size).toBe(found.models.length);
      for (const { name, contextLength } of found.models) {
        expect(isModelName(name)).toBe(true);
        if (contextLength !== null) expect(contextLength).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});
