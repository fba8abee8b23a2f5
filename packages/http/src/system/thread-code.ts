// The code of threads. It is read when the process starts: an upgrade that replaces the source files of a running server must
// not change or remove what its threads load. A compiled executable has it inside.

import { basename } from 'node:path'
import { embeddedFile } from './embedded-files.ts'

const loaded = new Map<string, Promise<string>>()

/** Begins to read the file of a thread and all that it imports. Returns what `new Worker` takes: the code as of now. */
export function threadCode(file: URL): Promise<string> {
  const known = loaded.get(file.href)
  if (known) return known
  const code = embeddedThread(file) ?? bundle(file)
  loaded.set(file.href, code)
  return code
}

/** The name of a thread's code inside an executable. */
export const threadName = (path: string): string => `${basename(path, '.ts')}.js`

const embeddedThread = (file: URL): Promise<string> | undefined =>
  embeddedFile(threadName(file.pathname))?.text().then(objectUrl)

async function bundle(file: URL): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [Bun.fileURLToPath(file)], target: 'bun' })
  const [code] = outputs
  if (!code) throw new Error(`${file.href} has no code`)
  return objectUrl(await code.text())
}

const objectUrl = (code: string): string => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
