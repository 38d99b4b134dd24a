import { OpenAPIHono } from '@hono/zod-openapi';
import { anthropicRoutes } from './anthropic/routes.ts';
import { openAiRoutes } from './openai/routes.ts';
import { routes } from './routes.ts';

/** Generates the OpenAPI 3.1 document of all interfaces from the tables of routes. */
export function openApiDocument(): object {
  const registry = new OpenAPIHono();
  for (const route of Object.values({ ...routes, ...openAiRoutes, ...anthropicRoutes }))
    registry.openAPIRegistry.registerPath(route);
  return registry.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'macbatch',
      version: '1',
      description: 'Batch inference on a pool of Macs: submit jobs, lease tasks, report outcomes.',
    },
  });
}
