// The process that answers, and what fills its disks: for the page about the system.
import { X509Certificate } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { diskUse } from '../../alerts/measure.ts'
import { isAboutCosts } from '../../config/warnings.ts'
import { fileInForce } from '../../config/watch.ts'
import { mediaFolder } from '../../media/open-media.ts'
import { NOTHING } from '../../request/schema/schema.ts'
import type { Storage } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { type OperationContext, operation, seesCosts } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { SIZES, SYSTEM } from '../resources/system.ts'

/** Only a running server knows of itself. */
export function serverOf({ server }: OperationContext): NonNullable<OperationContext['server']> {
  if (!server) throw rejected('no_server', {})
  return server
}

export const showSystem = operation({
  name: 'system show',
  permission: 'see',
  route: { at: 'GET system', summary: 'Shows the node that answers, with its certificates', output: SYSTEM },
  input: NOTHING,
  async run(context) {
    const { environment, startedAt, version } = serverOf(context)
    const { config, routing, actor } = context
    const warnings = [...environment.warnings, ...config.warnings]
    const { tls } = config.server
    return {
      id: 'system',
      version,
      runtime: `Bun ${Bun.version} (${process.platform} ${process.arch})`,
      database: environment.databaseUrl === undefined ? 'sqlite' : 'postgres',
      node_id: String(routing?.nodeId ?? ''),
      workers: environment.workers,
      started_at: isoTime(startedAt),
      configuration: { file: fileInForce(environment, config) ?? null, revision: config.revision, hash: config.hash },
      price_list: config.priceList ?? null,
      warnings: seesCosts(actor) ? warnings : warnings.filter((warning) => !isAboutCosts(warning)),
      certificates: tls ? [await certificate(tls.certFile)] : [],
    }
  },
})

/** The first of a file is the server's own; those that sign it follow. */
async function certificate(file: string) {
  try {
    const found = new X509Certificate(await readFile(file))
    const names = (found.subjectAltName ?? found.subject)
      .split(/,\s*|\n/)
      .map((name) => name.replace(/^(DNS|IP Address|CN)[:=]/, ''))
    const time = (written: string) => isoTime(Date.parse(written))
    const issuer = found.issuer.split('\n').at(-1)?.replace(/^\w+=/, '') ?? ''
    return { file, names, issuer, valid_from: time(found.validFrom), expires_at: time(found.validTo), error: null }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { file, names: [], issuer: '', valid_from: null, expires_at: null, error: message }
  }
}

/** Tables are counted no more often: that may read the whole database. */
const COUNT_EVERY_MS = 5 * 60_000
const COUNTED_WITHIN_MS = 5_000
const MEASURE_EVERY_MS = 10_000
const MOST_FILES = 10_000

type Tables = { at: number; tables: Awaited<ReturnType<Storage['sizes']>> }
type Known = { tables?: Promise<Tables>; sizes?: { at: number; found: ReturnType<typeof measure> } }
const KNOWN = new WeakMap<Storage, Known>()

export const showSizes = operation({
  name: 'system sizes',
  permission: 'see',
  route: {
    at: 'GET system/sizes',
    summary: 'Shows about how much tables, folders and stored contents take; counted every few minutes',
    output: SIZES,
  },
  input: NOTHING,
  async run(context) {
    const known = KNOWN.get(context.storage) ?? {}
    KNOWN.set(context.storage, known)
    if (known.sizes === undefined || performance.now() - known.sizes.at > MEASURE_EVERY_MS)
      known.sizes = { at: performance.now(), found: measure(context, known) }
    try {
      return await known.sizes.found
    } catch (error) {
      delete known.sizes
      throw error
    }
  },
})

async function measure(context: OperationContext, known: Known) {
  const { environment } = serverOf(context)
  const { storage, config } = context
  const { limits } = config.server
  const inData = (name: string) => join(environment.dataDir, name)
  const counted = await countTables(storage, known)
  // Those of a folder that takes no part in them are not counted: media have their own records.
  const folders = await Promise.all([
    sizeOf('database files', environment.dataDir, /\.db(-wal|-shm)?$/),
    sizeOf('spool', inData('spool')),
    sizeOf('journal', inData('journal')),
  ])
  const disks = [...new Set([environment.dataDir, mediaFolder(environment, config) ?? environment.dataDir])]
  return {
    id: 'sizes',
    counted_at: counted === undefined ? null : isoTime(counted.at),
    tables: counted?.tables.map(({ table, bytes, rows }) => ({ table, bytes, rows: rows ?? null })) ?? null,
    folders,
    contents: [
      { name: 'stored responses', bytes: await storage.shares.totalBytes('stored'), limit: limits.storedBytes },
      { name: 'images and videos', bytes: await storage.shares.totalBytes('media'), limit: limits.mediaBytes },
    ],
    // The folder of media is made with the first of them.
    disks: (await Promise.all(disks.map(diskOf))).flat(),
  }
}

/** undefined: it takes longer, and is known later. */
async function countTables(storage: Storage, known: Known): Promise<Tables | undefined> {
  const before = known.tables
  const last = before && (await Promise.race([before, undefined]))
  if (before === undefined || (last && Date.now() - last.at > COUNT_EVERY_MS)) {
    known.tables = storage.sizes().then((tables) => ({ at: Date.now(), tables }))
    // The next call counts again.
    known.tables.catch(() => delete known.tables)
  }
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, COUNTED_WITHIN_MS)
  return await Promise.race([known.tables, late.promise]).finally(() => clearTimeout(timer))
}

/** Counts the files in a folder, not below it. `complete`: all of them were looked at. */
async function sizeOf(name: string, path: string, wanted = /./) {
  const all = (await readdir(path).catch(() => [])).filter((each) => wanted.test(each))
  const some = all.slice(0, MOST_FILES)
  const sizes = await Promise.all(some.map((each) => stat(join(path, each)).catch(() => undefined)))
  const bytes = sizes.reduce((sum, found) => sum + (found?.isFile() ? found.size : 0), 0)
  return { name, path, bytes, files: some.length, complete: some.length === all.length }
}

async function diskOf(path: string) {
  const found = await diskUse(path).catch(() => undefined)
  return found ? [{ path, free: found.free, total: found.total }] : []
}
