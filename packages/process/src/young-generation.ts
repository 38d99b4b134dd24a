import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Limits the memory that V8 uses for young objects. Its default limit is 64 MB, and large uploads and downloads reach
 * any limit. Unlike the option `--max-semi-space-size`, this works after the process has started.
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
