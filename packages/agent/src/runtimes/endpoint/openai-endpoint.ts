import { OfferWithdrawals } from '../offer-withdrawals.ts';
import { type Offer, RunFailure, type RunRequest, type RunResult, type Runtime } from '../runtime.ts';
import { endpointReply } from './completion-reply.ts';
import { ENDPOINT_JOB_TYPES, type EndpointJobType, endpointRequest } from './completion-request.ts';
import { listsModel, ollamaDigest } from './listed-models.ts';
import { ModelServer } from './model-server.ts';

const DEFAULT_TIMEOUT_MS = 15 * 60_000;
/** A model can be pulled anew under its old name: a digest is believed this long. */
const DIGEST_TRUSTED_MS = 60_000;

export interface EndpointConfig {
  /** Base address of the API, mostly ending in `/v1`. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Alias that jobs name → the model's name on this server. */
  readonly models: Readonly<Record<string, string>>;
  /** What its models are offered for; default: chat, generate and embed. */
  readonly jobTypes?: readonly EndpointJobType[] | undefined;
  /** How long one item may take; default 15 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** Any server that speaks OpenAI's API: Ollama, LM Studio, mlx_lm.server, llama-server, … */
export function openAiEndpoint(config: EndpointConfig, { now }: { now: () => number }): Runtime {
  const server = new ModelServer({ ...config, timeoutMs: config.timeoutMs ?? DEFAULT_TIMEOUT_MS });
  const models = new Map(Object.entries(config.models));
  const jobTypes = config.jobTypes ?? ENDPOINT_JOB_TYPES;
  const all: readonly Offer[] = [...models.keys()].flatMap((model) =>
    jobTypes.map((job_type) => ({ job_type, model })),
  );
  const withdrawals = new OfferWithdrawals();
  const digests = new Map<string, { readonly at: number; readonly digest: Promise<string | null> }>();
  let probing: Promise<void> | null = null;

  return {
    name: `openai-endpoint ${server.host}`,
    offers() {
      if (probing === null && withdrawals.due(now()).length > 0) {
        probing = probe().finally(() => {
          probing = null;
        });
      }
      return all.filter((offer) => !withdrawals.isWithdrawn(offer));
    },
    async run(request) {
      const jobType = jobTypes.find((one) => one === request.job_type);
      const model = models.get(request.model);
      if (jobType === undefined || model === undefined) {
        throw new RunFailure(
          'not_here',
          jobType === undefined ? 'not_supported' : 'model_not_found',
          `${server.host} is not set up to run ${request.job_type} with the model "${request.model}"`,
        );
      }
      const offer: Offer = { job_type: jobType, model: request.model };
      try {
        const result = await complete(jobType, model, request);
        withdrawals.succeeded(offer);
        return result;
      } catch (error) {
        if (error instanceof RunFailure && error.failure === 'not_here') withdraw(offer, error.code);
        throw error;
      }
    },
    async close() {
      await server.close();
      await probing;
    },
  };

  async function complete(
    jobType: EndpointJobType,
    model: string,
    { signal, ...item }: RunRequest,
  ): Promise<RunResult> {
    const { path, body } = endpointRequest(jobType, item);
    const reply = endpointReply(jobType, await server.post(path, { ...body, model }, signal));
    const name = reply.model ?? model;
    return { output: reply.output, model: { name, digest: await digestOf(name) }, usage: reply.usage };
  }

  /** A server that embeds nothing may chat well, but one that lacks a model or refuses the key can't do anything with it. */
  function withdraw(failed: Offer, code: string): void {
    for (const offer of all) {
      const same =
        code === 'unauthorized' ||
        (offer.model === failed.model && (code !== 'not_supported' || offer.job_type === failed.job_type));
      if (same) withdrawals.withdraw(offer, code, now());
    }
  }

  /**
   * Looks whether what was withdrawn may be offered again. The list of models is all it asks for: a
   * generation could load a model of many gigabytes, to push out the one in use.
   */
  async function probe(): Promise<void> {
    const list = await server.ask('/models').catch(() => undefined);
    for (const { offer, code } of withdrawals.due(now())) {
      const listed = listsModel(list, models.get(offer.model) ?? offer.model);
      const back = code === 'model_not_found' ? listed === true : listed !== undefined;
      if (back) withdrawals.restore(offer);
      else withdrawals.withdraw(offer, code, now());
    }
  }

  /** Only Ollama tells digests; no other is made up. Trouble here must not cost the item its result. */
  function digestOf(model: string): Promise<string | null> {
    const known = digests.get(model);
    if (known !== undefined && now() - known.at < DIGEST_TRUSTED_MS) return known.digest;
    const digest = askDigest(model).catch(() => null);
    digests.set(model, { at: now(), digest });
    return digest;
  }

  async function askDigest(model: string): Promise<string | null> {
    if ((await server.askRoot('/api/version')) === undefined) return null;
    return ollamaDigest(await server.askRoot('/api/tags'), model);
  }
}
