import { describe, expect, it } from 'vitest';
import { anthropicRoutes } from './anthropic/routes.ts';
import { openAiRoutes } from './openai/routes.ts';
import { openApiDocument } from './openapi.ts';
import { PROBLEMS } from './problem.ts';
import { routes } from './routes.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}
const document = openApiDocument() as Document;

/** All `$ref` values of a document. */
function references(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : references(value),
  );
}

describe('openApiDocument', () => {
  it('A2: matches the committed openapi.json (run vitest with --update after an intended change)', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../openapi.json');
  });

  it('A2: has version 3.1 and every route of the contract with its error reply', () => {
    expect(document.openapi).toBe('3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(new Set(described)).toEqual(
      new Set(
        Object.values({ ...routes, ...openAiRoutes, ...anthropicRoutes }).map(
          ({ method, path }) => `${method} ${path}`,
        ),
      ),
    );
    for (const methods of Object.values(document.paths)) {
      for (const { responses } of Object.values(methods)) expect(Object.keys(responses)).toContain('default');
    }
  });

  it('A2: refers only to schemas that exist', () => {
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references(document).filter((reference) => !known.includes(reference))).toEqual([]);
    expect(known.length).toBeGreaterThan(15);
  });
});

describe('PROBLEMS', () => {
  it.each(Object.entries(PROBLEMS))('A3: gives %s a fitting status', (code, { status, retryable, title }) => {
    expect(code).toMatch(/^[a-z_]+$/);
    expect(title).not.toBe('');
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    if (retryable) expect([429, 503, 507]).toContain(status);
  });
});
