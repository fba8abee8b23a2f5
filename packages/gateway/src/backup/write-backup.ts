// `trivium backup`: one archive with everything that a gateway stores, beside a running server.
//
// Whatever was settled before is in it. A settlement moves from the journal to the ledger, so the journal is read first. A stored response and
// the row of a task are written before the ledger has their cost, so contents are read before the ledger (or at the same moment). A
// record of media is written before its content, so contents of media come last.
import { readFirst } from '@trivium/http/write-pieces.ts'
import { createDiskBlobs } from '../media/disk.ts'
import { BlobMissing } from '../media/media-store.ts'
import { type Sums, sumsOf } from '../storage/copying/check.ts'
import type { Source, Table } from '../storage/copying/copy.ts'
import { encodeRow } from '../storage/copying/rows.ts'
import { integer } from '../storage/sql/rows.ts'
import type { ArchiveWriter } from './archive/write-archive.ts'
import { compressed } from './archive/zstd.ts'
import { sign } from './authenticate.ts'
import { BackupError } from './errors.ts'
import { addJournal } from './journal-files.ts'
import { FORMAT, type ListedMember, type Manifest, memberOf, writeManifest } from './manifest.ts'
import type { Progress } from './progress.ts'
import { sealSecret } from './seal-secret.ts'

export type BackupOptions = {
  program: string
  dataDir: string
  /** Opens the database when the journal has been read. */
  openSource(): Promise<Source>
  /** The folder of stored media; `s3`: they are listed, not copied. Where they are may be stored, too. */
  media(source: Source): Promise<{ folder: string } | 's3'>
  /** Leaves out all but files of the archive. */
  withoutMedia: boolean
  /** The master secret, which authenticates the archive; undefined if it is not known here. */
  secret(source: Source): Promise<string | undefined>
  /** Encrypts the master secret in the archive; undefined: it is left out. */
  passphrase: string | undefined
  progress: Progress
}

export type Backup = { manifest: Manifest; authenticated: boolean }

export async function writeBackup(archive: ArchiveWriter, options: BackupOptions): Promise<Backup> {
  const { program, dataDir, openSource, passphrase, progress } = options
  const createdAt = new Date().toISOString()
  const members = await addJournal(archive, dataDir)
  const source = await openSource()
  try {
    for (const table of await source.tables()) members.push(await addTable(archive, source, table, progress))
    const sums: Sums = await sumsOf(source.query)
    const media = await addMedia(archive, source, options, members)
    const secret = await options.secret(source)
    const hasSecret = secret !== undefined && passphrase !== undefined
    if (hasSecret) {
      const sealed = await sealSecret(secret, passphrase)
      members.push({ name: 'secret', ...(await archive.add('secret', [Buffer.from(sealed)])) })
    }
    const manifest: Manifest = {
      format: FORMAT,
      program,
      schema_version: source.version,
      engine: source.engine,
      created_at: createdAt,
      sums: { balance: String(sums.balance), held: String(sums.held) },
      media,
      has_secret: hasSecret,
      members,
    }
    const text = await writeManifest(archive, manifest)
    if (secret !== undefined) await sign(archive, text, secret)
    return { manifest, authenticated: secret !== undefined }
  } finally {
    await source.close()
  }
}

async function addTable(
  archive: ArchiveWriter,
  source: Source,
  table: Table,
  progress: Progress,
): Promise<ListedMember> {
  const { columns, lastId } = table
  let rows = 0
  async function* lines() {
    for await (const batch of source.rows(table)) {
      rows += batch.length
      progress(`${table.name}: ${rows} rows`)
      yield Buffer.from(batch.map(encodeRow).join(''))
    }
  }
  const name = memberOf(table.name)
  const written = await archive.add(name, compressed(lines()))
  return { name, ...written, rows, columns, ...(lastId === undefined ? {} : { last_id: String(lastId) }) }
}

/** Objects that are complete. One that has expired may be removed meanwhile. */
async function addMedia(
  archive: ArchiveWriter,
  source: Source,
  { media, withoutMedia, progress }: BackupOptions,
  members: ListedMember[],
): Promise<Manifest['media']> {
  const found = await source.query('SELECT id, size FROM media WHERE size IS NOT NULL ORDER BY id', 'contents')
  const archived = await source.query('SELECT name AS id, bytes AS size FROM archive_part WHERE state > 0 ORDER BY id')
  const files = new Set(archived.map(({ id }) => String(id)))
  const kept = withoutMedia ? archived : [...archived, ...found]
  const objects = kept.map(({ id, size }) => ({ id: String(id), size: Number(integer(size)) }))
  const leftOut = { place: 'left out', objects: found.length, missing: 0 } as const
  if (objects.length === 0 && withoutMedia) return leftOut
  const place = await media(source)
  if (place === 's3') {
    const list = objects.map((object) => `${JSON.stringify(object)}\n`).join('')
    const name = 'media-objects.jsonl'
    members.push({ name, ...(await archive.add(name, [Buffer.from(list)])) })
    return withoutMedia ? leftOut : { place: 's3', objects: objects.length, missing: 0 }
  }
  const blobs = createDiskBlobs(place.folder)
  let missing = 0
  for (const [index, { id, size }] of objects.entries()) {
    progress(`media: ${index} of ${objects.length} files`)
    const content = await readFirst(blobs.read(id, 0, size)).catch((error: unknown) => {
      if (error instanceof BlobMissing) return 'missing' as const
      throw error
    })
    if (content === 'missing') {
      if (files.has(id)) throw new BackupError(`the file ${id} of the archive is missing in ${place.folder}`)
      missing += 1
      continue
    }
    const name = `media/${id}`
    members.push({ name, ...(await archive.add(name, content ?? [])) })
  }
  return withoutMedia ? leftOut : { place: 'archive', objects: objects.length - missing, missing }
}
