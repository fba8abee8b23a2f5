// The journal of a data folder: settlements that the database has not confirmed.
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readFirst } from '@trivium/http/write-pieces.ts'
import { readFile } from '../media/media-store.ts'
import type { ArchiveWriter } from './archive/write-archive.ts'
import { BackupError } from './errors.ts'
import type { ListedMember } from './manifest.ts'
import { writeDurably } from './write-durably.ts'

const MOST_TRIES = 1_000
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * A server may rename or remove a file meanwhile. What it removes is in the database, which is read later; what it renames is found in the
 * next list, so lists are read until all of one is there. An entry that comes twice is applied once.
 */
export async function addJournal(archive: ArchiveWriter, dataDir: string): Promise<ListedMember[]> {
  const folder = join(dataDir, 'journal')
  const added = new Map<string, ListedMember>()
  for (let tries = 1, isWhole = false; !isWhole; tries++) {
    if (tries > MOST_TRIES) throw new BackupError(`the files in ${folder} change too often to be read`)
    isWhole = true
    for (const name of (await orMissing(readdir(folder))) ?? []) {
      if (added.has(name)) continue
      const content = await orMissing(readFirst(readFile(join(folder, name))).then((pieces) => pieces ?? []))
      if (content === undefined) isWhole = false
      else added.set(name, { name: `journal/${name}`, ...(await archive.add(`journal/${name}`, content)) })
    }
  }
  return [...added.values()]
}

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export async function writeJournal(dataDir: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const folder = join(dataDir, 'journal')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeDurably(join(folder, name), content)
}
