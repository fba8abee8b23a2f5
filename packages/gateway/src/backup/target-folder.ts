// The data folder that a restore fills: empty before, and marked by a file until all of it is there.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { NotEmpty, UNFINISHED } from '../storage/copying/copy.ts'
import { writeDurably } from './write-durably.ts'

const DATABASES = ['ledger.db', 'contents.db'].flatMap((name) => [
  name,
  `${name}-wal`,
  `${name}-shm`,
  `${name}-journal`,
])
const OWN = [...DATABASES, 'secret', 'secret.new', 'journal']

/** Throws NotEmpty. */
export function demandEmpty(dataDir: string): void {
  const isUsed = (name: string) => {
    const path = join(dataDir, name)
    return existsSync(path) && !(['journal', 'media'].includes(name) && readdirSync(path).length === 0)
  }
  const found = isUnfinished(dataDir) ? undefined : [...OWN, 'media'].find(isUsed)
  if (found !== undefined)
    throw new NotEmpty(`the data folder ${dataDir} is not empty (${found}): set TRIVIUM_DATA to an empty or new one`)
}

/** What a failed attempt left is removed: it was written under the mark, into a folder that was empty. */
export async function markFolder(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  await writeDurably(join(dataDir, UNFINISHED), [])
  for (const name of OWN) rmSync(join(dataDir, name), { recursive: true, force: true })
}

export const unmarkFolder = (dataDir: string): void => rmSync(join(dataDir, UNFINISHED))

export const isUnfinished = (dataDir: string): boolean => existsSync(join(dataDir, UNFINISHED))
