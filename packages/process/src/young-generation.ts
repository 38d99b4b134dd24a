import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from giving more memory than this to young objects. By default it lets them grow to 64 MB, and large
 * uploads and downloads fill whatever it gives. Works however the program was started, unlike
 * `--max-semi-space-size`, which is read only when a process starts.
 */
export function limitYoungGeneration(megabytes: number): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if (young === undefined || young.space_size < megabytes * 1024 * 1024) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
