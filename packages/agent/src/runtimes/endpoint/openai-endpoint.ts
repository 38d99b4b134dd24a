import { endpointOf, requestBodyProblem, type WorkType, withModel } from '@macbatch/core';
import type { WithdrawalReach } from '../../worker/item-end.ts';
import { parseJson } from '../json-value.ts';
import { OllamaServer } from '../ollama/ollama-server.ts';
import {
  RunFailure,
  type RunRequest,
  type RunResult,
  type Runtime,
  type WithdrawnOffer,
} from '../runtime.ts';
import { endpointReply, replyMetadata } from './completion-reply.ts';
import { ENDPOINT_JOB_TYPES, type EndpointJobType, endpointRequest } from './completion-request.ts';
import { listsModel } from './listed-models.ts';
import { ModelServer } from './model-server.ts';
import { endpointWorkTypes } from './raw-request.ts';
import type { ProxySettings } from './server-connections.ts';
import { serverSlots } from './server-slots.ts';

/** Time limit of a request for one token. */
const TEST_MS = 30_000;
const DEFAULT_TIMEOUT_MS = 15 * 60_000;

export interface EndpointConfig {
  /** Base URL of the API, usually ending in `/v1`. Every request carries its query. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Sent with every request. They are secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxies?: ProxySettings | undefined;
  /** From the alias that jobs name to the model's name on this server. */
  readonly models: Readonly<Record<string, string>>;
  /**
   * Job types that its models are offered for.
   * @default chat, generate and embed
   */
  readonly jobTypes?: readonly EndpointJobType[] | undefined;
  /**
   * How long one item may take, from its request to the last byte of its answer, in milliseconds.
   * @default 15 minutes
   */
  readonly timeoutMs?: number | undefined;
  /** From this server's own finish reasons, or `null` for none, to one of `FINISH_REASONS`. */
  readonly finishReasons?: Readonly<Record<string, string>> | undefined;
}

/** Runs items on any server with OpenAI's API: Ollama, LM Studio, mlx_lm.server, llama-server, … */
export function openAiEndpoint(config: EndpointConfig, clock: Clock): Runtime {
  const models = new Map(Object.entries(config.models));
  const workTypes = endpointWorkTypes(config.jobTypes ?? ENDPOINT_JOB_TYPES);
  return {
    ...endpointRuntime(config, { modelNamed: (alias) => models.get(alias) }, clock),
    offers: [...models.keys()].flatMap((model) => workTypes.map((job_type) => ({ job_type, model }))),
  };
}

interface Clock {
  readonly now: () => number;
}

/** What a server offers. It may change while the runtime is open. */
export interface EndpointModels {
  /** The model's name on the server; undefined if the server is not set up to run it. */
  readonly modelNamed: (alias: string) => string | undefined;
}

/** Opens a runtime without offers for a server. */
export function endpointRuntime(
  config: Omit<EndpointConfig, 'models'>,
  { modelNamed }: EndpointModels,
  { now }: Clock,
): Runtime {
  const server = new ModelServer({ ...config, timeoutMs: config.timeoutMs ?? DEFAULT_TIMEOUT_MS });
  const jobTypes = config.jobTypes ?? ENDPOINT_JOB_TYPES;
  const workTypes = endpointWorkTypes(jobTypes);
  const ownReasons = Object.fromEntries(
    Object.entries(config.finishReasons ?? {}).map(([own, known]) => [own.toLowerCase(), known]),
  );
  const ollama = new OllamaServer(server, now);
  const probes = new Set<Promise<unknown>>();
  /** The server has a list of models. */
  let hasListed = false;

  return {
    name: `openai-endpoint ${server.host}`,
    remote: true,
    offers: [],
    async run(request) {
      const workType = workTypes.find((one) => one === request.job_type);
      const model = modelNamed(request.model);
      if (workType === undefined || model === undefined) {
        throw new RunFailure(
          'not_here',
          workType === undefined ? 'not_supported' : 'model_not_found',
          `${server.host} is not set up to run ${request.job_type} with the model "${request.model}"`,
        );
      }
      try {
        const jobType = jobTypes.find((one) => one === workType);
        return await (jobType === undefined
          ? passOn(workType, model, request)
          : complete(jobType, model, request));
      } catch (error) {
        if (!(error instanceof RunFailure) || error.failure !== 'not_here') throw error;
        throw error.withdrawing({ reach: reachOf(error.code), until: 'probe' });
      }
    },
    probe(offers) {
      const probing = probe(offers).finally(() => probes.delete(probing));
      probes.add(probing);
      return probing;
    },
    async answers(alias) {
      const model = modelNamed(alias);
      if (model === undefined) return false;
      const messages = [{ role: 'user', content: 'Hi' }];
      const reply = await server.post(
        '/chat/completions',
        { model, messages, max_tokens: 1 },
        AbortSignal.timeout(TEST_MS),
      );
      return isAnswer(reply);
    },
    slots() {
      const asking = server
        .askRoot('/props')
        .then(serverSlots, () => null)
        .finally(() => probes.delete(asking));
      probes.add(asking);
      return asking;
    },
    async close() {
      await server.close();
      await Promise.all(probes);
    },
  };

  /** Whether a reply decides an item. One token may be too few for the first word. */
  function isAnswer(reply: object): boolean {
    try {
      endpointReply('chat', reply, ownReasons);
      return true;
    } catch (error) {
      return error instanceof RunFailure && error.failure === 'permanent';
    }
  }

  async function complete(
    jobType: EndpointJobType,
    model: string,
    { signal, ...item }: RunRequest,
  ): Promise<RunResult> {
    const { path, body } = endpointRequest(jobType, item);
    const reply =
      (await ollama.post(jobType, body, model, signal)) ??
      (await server.post(path, { ...body, model }, signal));
    const { model: answered, usage: counted } = replyMetadata(reply);
    const name = answered ?? model;
    const ran = { name, digest: await ollama.digestOf(name) };
    await ollama.refuseTruncated({ model: ran, usage: counted }, name, item.params);
    try {
      const { output, usage } = endpointReply(jobType, reply, ownReasons);
      return { output, model: ran, usage };
    } catch (error) {
      if (!(error instanceof RunFailure)) throw error;
      const { failure, code, message } = error;
      // The answer was paid for, also if it was withheld.
      throw new RunFailure(failure, code, server.withoutSecrets(message), {
        ran: { model: ran, usage: counted },
      });
    }
  }

  /** Sends the payload as it is, except for the model's name. */
  async function passOn(
    workType: WorkType,
    model: string,
    { payload, payloadText, signal }: RunRequest,
  ): Promise<RunResult> {
    const endpoint = endpointOf(workType);
    const problem = requestBodyProblem(payload);
    if (endpoint === null || problem !== null)
      throw new RunFailure(
        'permanent',
        'invalid_payload',
        `the payload ${problem?.problem ?? 'has no endpoint'}`,
      );
    const { output, requestId } = await server.postRaw(endpoint, withModel(payloadText, model), signal);
    const { model: answered, usage } = replyMetadata(parseJson(output));
    const name = answered ?? model;
    return { output, model: { name, digest: await ollama.digestOf(name) }, usage, requestId };
  }

  /** Asks only for the list of models. A generation could load a model of many gigabytes and unload the one in use. */
  async function probe(offers: readonly WithdrawnOffer[]): Promise<readonly boolean[]> {
    let list: unknown;
    let isReached = true;
    try {
      list = await server.ask('/models');
    } catch {
      isReached = false;
    }
    return offers.map(({ offer, code }) => {
      const listed = listsModel(list, modelNamed(offer.model) ?? offer.model);
      if (listed !== undefined) hasListed = true;
      if (code === 'model_not_found') return listed === true;
      // A server without a list of models counts as back as soon as it answers.
      if (WAITS.has(code)) return isReached && (listed !== undefined || !hasListed);
      return listed !== undefined;
    });
  }
}

/** Codes of a server that is not reached or accepts no requests. */
const WAITS: ReadonlySet<string> = new Set(['server_unreachable', 'model_loading', 'not_a_model_server']);

/** Codes that hold for everything that the server offers. */
const WHOLE_SERVER: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'quota_exhausted',
  'certificate_refused',
  'not_a_model_server',
]);

/** A server that cannot embed may still chat. One without the model, or with another key, can do nothing with it. */
function reachOf(code: string): WithdrawalReach {
  if (WHOLE_SERVER.has(code)) return 'runtime';
  return code === 'not_supported' ? 'offer' : 'model';
}
