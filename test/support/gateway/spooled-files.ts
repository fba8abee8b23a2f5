import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from './home.ts'

/** Uploads on disk: in the folder of each process, named by a number. */
export const spooledFiles = ({ dataDir }: Home): string[] =>
  readdirSync(join(dataDir, 'spool'), { recursive: true })
    .map(String)
    .filter((name) => /\/\d+$/.test(name))
