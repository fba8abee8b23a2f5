// Where the console's sources are, and where their bundle is kept.

import { join } from 'node:path'
import { errorText, type Log } from '../observe/log.ts'
import { openBundle } from './bundle.ts'
import { embeddedBundle } from './embedded-bundle.ts'
import { type ConsoleFiles, createConsoleFiles } from './serve-console.ts'

const ROOT = join(import.meta.dir, '../../../..')

/** `mediaUrl`: the base of signed media URLs. */
export function openConsoleFiles(
  dataDir: string,
  mediaUrl: () => string,
  log: Pick<Log, 'error'>,
  cleanup: { add(close: () => void): void },
): ConsoleFiles {
  const aborted = new AbortController()
  cleanup.add(() => aborted.abort())
  return createConsoleFiles({
    open: async () =>
      (await embeddedBundle()) ??
      openBundle({
        source: join(ROOT, 'packages/console'),
        lockfile: join(ROOT, 'package-lock.json'),
        // Beside the sources all data folders share the bundle; some installations are read-only.
        caches: [join(ROOT, 'node_modules/.cache/trivium-console'), join(dataDir, 'console')],
        signal: aborted.signal,
      }),
    mediaOrigin: () => (URL.canParse(mediaUrl()) ? new URL(mediaUrl()).origin : undefined),
    // A shutdown ends the bundler, which is no error.
    failed: (error) => {
      if (!aborted.signal.aborted)
        log.error('the console cannot be bundled; /console returns 503', { error: errorText(error) })
    },
  })
}
