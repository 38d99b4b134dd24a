import { adminRoutes } from './routes/admin-routes.ts';
import { jobRoutes } from './routes/job-routes.ts';
import { keyRoutes } from './routes/key-routes.ts';
import { poolRoutes } from './routes/pool-routes.ts';
import { taskRoutes } from './routes/task-routes.ts';
import { workerRoutes } from './routes/worker-routes.ts';

/** Every route of the native interface. Validation, client and OpenAPI document come from this table. */
export const routes = {
  ...jobRoutes,
  ...poolRoutes,
  ...taskRoutes,
  ...workerRoutes,
  ...adminRoutes,
  ...keyRoutes,
} as const;
