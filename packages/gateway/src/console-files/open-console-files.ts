// Where the console's sources are, and where their bundle is kept.
import { join } from 'node:path'
import { embeddedFile, embeddedNames } from '@trivium/http/system/embedded-files.ts'
import { errorText, type Log } from '../observe/log.ts'
import { type Bundle, type BundledFile, INDEX, openBundle } from './bundle.ts'
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

// The console inside a compiled executable, bundled when that was built.
/** Begins the name of each of its files there. */
export const CONSOLE_PREFIX = 'console-'

/** undefined: the program runs from its sources. */
async function embeddedBundle(): Promise<Bundle | undefined> {
  const bundle = new Map<string, BundledFile>()
  for (const name of embeddedNames()) {
    if (!name.startsWith(CONSOLE_PREFIX) || !name.endsWith('.br')) continue
    const plain = name.slice(CONSOLE_PREFIX.length, -'.br'.length)
    const [brotli, gzip] = await Promise.all([bytesOf(name), bytesOf(`${CONSOLE_PREFIX}${plain}.gz`)])
    bundle.set(plain, { brotli, gzip })
  }
  return bundle.has(INDEX) ? bundle : undefined
}

const bytesOf = async (name: string): Promise<Uint8Array> =>
  new Uint8Array((await embeddedFile(name)?.arrayBuffer()) ?? [])
