// What an operator names as the source: the URL of a database, the form in which new-api has it, or a file.
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openDumpSource } from './dump-file.ts'
import { openServerSource } from './server.ts'
import { type SourceDatabase, SourceError } from './source-database.ts'
import { openSqliteSource } from './sqlite.ts'

/** A file: as much again is needed beside it, for the copy. */
const LARGEST_FILE = 64 * 1024 ** 3
const FORMS = 'postgres://USER:PASSWORD@HOST/DATABASE, mysql://USER:PASSWORD@HOST/DATABASE, or a file'
const GO_DSN = /^([^:@/]+)(?::(.*))?@tcp\(([^)]+)\)\/([^?/]+)(?:\?.*)?$/

/** `folder`: for what is copied of files. */
export async function openSource(from: string, folder: string): Promise<SourceDatabase> {
  const url = urlOf(from)
  if (!url) return openFile(from, folder)
  if (url.protocol === 'file:') return openFile(fileURLToPath(url), folder)
  if (!/^(?:postgres|postgresql|mysql):$/.test(url.protocol) || url.pathname.length < 2)
    throw new SourceError(`A source is ${FORMS}.`)
  return openServerSource(url)
}

/** The host of a database; undefined: a file. */
export const hostOf = (from: string): string | undefined => urlOf(from)?.hostname || undefined

function urlOf(from: string): URL | undefined {
  const [, user = '', password = '', host, database] = GO_DSN.exec(from) ?? []
  if (host) return new URL(`mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${database}`)
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(from)) return undefined
  const written = from.replace(/^(?:mariadb|mysql2):/i, 'mysql:').replace(/^mysql:\/\//i, 'mysql://')
  // The parser quotes what it rejects.
  if (!URL.canParse(written))
    throw new SourceError(
      'The URL of the source is invalid: characters such as @ / # in a password are written as %40 %2F %23.',
    )
  return new URL(written)
}

async function openFile(path: string, folder: string): Promise<SourceDatabase> {
  const { size, start } = await beginning(path)
  if (size > LARGEST_FILE) throw new SourceError('The file is larger than 64 GiB. Name the database itself.')
  if (start.startsWith('SQLite format 3\0')) return openSqliteSource(path, folder)
  if (start.startsWith('PGDMP'))
    throw new SourceError(
      'The file is a dump in the custom format. Make a plain one of it: pg_restore -f plain.sql FILE.',
    )
  if (start.startsWith('\x1f\x8b')) throw new SourceError('The file is compressed. Decompress it first.')
  return openDumpSource(path, folder)
}

async function beginning(path: string): Promise<{ size: number; start: string }> {
  try {
    const file = await open(path)
    try {
      const stat = await file.stat()
      if (!stat.isFile()) throw new SourceError('The source is not a file.')
      const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
      return { size: stat.size, start: buffer.toString('latin1', 0, bytesRead) }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof SourceError) throw error
    throw new SourceError(`The file cannot be opened (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`, {
      cause: error,
    })
  }
}
