// The journal of a data folder: settlements that the database has not confirmed.
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from './write-durably.ts'

const MOST_TRIES = 100

/** A server may rename or remove a file meanwhile: then all are read again, so that none is missed under its new name. */
export async function readJournal(dataDir: string): Promise<Map<string, Uint8Array>> {
  for (let tries = 1; ; tries++) {
    try {
      return await readOnce(join(dataDir, 'journal'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MOST_TRIES) throw error
    }
  }
}

async function readOnce(folder: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names.sort()) files.set(name, await readFile(join(folder, name)))
  return files
}

export async function writeJournal(dataDir: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const folder = join(dataDir, 'journal')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeDurably(join(folder, name), content)
}
