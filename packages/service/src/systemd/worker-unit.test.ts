import { expect, it } from 'vitest';
import { workerUnit } from './worker-unit.ts';

it('escapes what systemd would interpret in a path', () => {
  const unit = workerUnit({
    launcher: '/home/Ann & "Zoë" $x 100%/bin/macbatch-worker',
    crashLog: '/home/Ann 100%/worker.crash.log',
    workingFolder: '/home/Ann 100%/.macbatch',
    path: ['/usr/bin', '/bin'],
  });
  expect(unit.split('\n')).toEqual(
    expect.arrayContaining([
      'ExecStart="/home/Ann & \\"Zoë\\" $$x 100%%/bin/macbatch-worker"',
      'StandardOutput=append:/home/Ann 100%%/worker.crash.log',
      'WorkingDirectory=/home/Ann 100%%/.macbatch',
      'Environment="PATH=/usr/bin:/bin"',
      'Restart=on-failure',
      'StartLimitBurst=60',
      'TimeoutStopSec=30',
    ]),
  );
});
