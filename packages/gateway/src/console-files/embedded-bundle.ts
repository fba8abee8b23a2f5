// The console inside a compiled executable, bundled when that was built.

import { embeddedFile, embeddedNames } from '@trivium/http/system/embedded-files.ts'
import { type Bundle, type BundledFile, INDEX } from './bundle.ts'

/** Begins the name of each of its files there. */
export const CONSOLE_PREFIX = 'console-'

/** undefined: the program runs from its sources. */
export async function embeddedBundle(): Promise<Bundle | undefined> {
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
