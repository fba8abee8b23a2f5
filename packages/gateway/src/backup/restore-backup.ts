// `trivium restore`: an archive into an empty folder or database. Nothing is written before all of the archive is verified.
import { join } from 'node:path'
import { FINGERPRINT, fingerprintOf } from '../access/secrets/fingerprint.ts'
import { createDiskBlobs } from '../media/disk.ts'
import type { Audited } from '../storage/copying/check.ts'
import type { Target } from '../storage/copying/copy.ts'
import { decodeRows } from '../storage/copying/rows.ts'
import { rowsAtOnce } from '../storage/copying/tables.ts'
import { programVersion } from '../storage/migrations/migrations.ts'
import type { ArchiveReader } from './archive/read-archive.ts'
import { authenticate } from './authenticate.ts'
import { BackupError } from './errors.ts'
import { checkTarget, type FilledTable, fillTarget } from './fill-target.ts'
import { writeJournal } from './journal-files.ts'
import { contentOf, type Manifest, openVerified, tableOf } from './manifest.ts'
import type { Progress } from './progress.ts'
import { openSecret } from './seal-secret.ts'
import { demandEmpty, markFolder, unmarkFolder } from './target-folder.ts'
import { writeDurably } from './write-durably.ts'

export type RestoreOptions = {
  dataDir: string
  openTarget(): Promise<Target>
  /** The folder of stored media; undefined: they are in S3. */
  mediaFolder: string | undefined
  /** The master secret of the environment. */
  secret: string | undefined
  /** Decrypts the secret of the archive; undefined: none was given. */
  passphrase: string | undefined
  /** Restore an archive without an HMAC, too. */
  mayLackHmac: boolean
  progress: Progress
}

export type Restored = {
  manifest: Manifest
  rows: number
  audit: Audited
  wroteSecret: boolean
  authenticated: boolean
}

export async function restoreBackup(file: string, options: RestoreOptions): Promise<Restored> {
  const { dataDir, openTarget, progress } = options
  demandEmpty(dataDir)
  const { archive, manifest } = await openVerified(file, progress)
  try {
    if (manifest.schema_version > programVersion())
      throw new BackupError(
        `${file} is of Trivium ${manifest.program} with tables of version ${manifest.schema_version}, this program knows ${programVersion()}: use that version or a later one`,
      )
    const secret = await secretOf(archive, manifest, options)
    const authenticated = await authenticate(archive, { secret, mayLack: options.mayLackHmac, file })
    const target = await openTarget()
    try {
      await markFolder(dataDir)
      const rows = await fillTarget(target, manifest.schema_version, tablesOf(archive, manifest), progress)
      const { balance, held } = manifest.sums
      const sums = { balance: BigInt(balance), held: BigInt(held) }
      const audit = await checkTarget(target, { rows: rowsIn(manifest), sums })
      await writeFiles(archive, options, secret)
      await target.finish()
      unmarkFolder(dataDir)
      const all = [...rows.values()].reduce((sum, count) => sum + count, 0)
      return { manifest, rows: all, audit, wroteSecret: options.secret === undefined, authenticated }
    } catch (error) {
      await target.abort()
      throw error
    }
  } finally {
    await archive.close()
  }
}

const rowsIn = ({ members }: Manifest) =>
  new Map(members.flatMap(({ name, rows = 0 }) => (tableOf(name) ? [[tableOf(name) ?? '', rows]] : [])))

function tablesOf(archive: ArchiveReader, { members }: Manifest): FilledTable[] {
  return members.flatMap(({ name: member, columns = [], last_id: lastId }) => {
    const name = tableOf(member)
    if (name === undefined) return []
    const rows = () => decodeRows(contentOf(archive, member), rowsAtOnce(name))
    return [{ name, columns, lastId: lastId === undefined ? undefined : BigInt(lastId), rows }]
  })
}

/** The secret that the stored data was encrypted with. Throws if it is not known. */
async function secretOf(archive: ArchiveReader, manifest: Manifest, options: RestoreOptions): Promise<string> {
  const known = await fingerprintIn(archive, manifest)
  const matches = (secret: string) => known === undefined || fingerprintOf(secret) === known
  if (options.secret !== undefined) {
    if (matches(options.secret)) return options.secret
    throw new BackupError('TRIVIUM_SECRET does not match the secret of this backup: set it to that one, or unset it')
  }
  if (!manifest.has_secret)
    throw new BackupError('this backup was made without the master secret: set TRIVIUM_SECRET to it')
  const { passphrase } = options
  if (passphrase === undefined)
    throw new BackupError(
      'the master secret of this backup is encrypted: give its passphrase with --passphrase-file FILE',
    )
  const secret = await openSecret(await archive.text('secret'), passphrase)
  if (!matches(secret)) throw new BackupError('the secret of this backup does not belong to its data')
  return secret
}

async function fingerprintIn(archive: ArchiveReader, { members }: Manifest): Promise<string | undefined> {
  const member = members.find(({ name }) => tableOf(name) === 'meta')
  if (!member) return undefined
  const { columns = [] } = member
  const [name, value] = [columns.indexOf('name'), columns.indexOf('value')]
  for await (const rows of decodeRows(contentOf(archive, member.name), 100))
    for (const row of rows) if (row[name] === FINGERPRINT) return String(row[value])
  return undefined
}

async function writeFiles(
  archive: ArchiveReader,
  { dataDir, mediaFolder, secret: ofEnvironment, progress }: RestoreOptions,
  secret: string,
): Promise<void> {
  const blobs = mediaFolder === undefined ? undefined : createDiskBlobs(mediaFolder)
  let files = 0
  for (const name of archive.members.keys()) {
    const [folder, inside = ''] = name.split('/')
    if (folder === 'journal') await writeJournal(dataDir, inside, archive.read(name))
    if (folder !== 'media' || inside === '') continue
    if (!blobs)
      throw new BackupError('media of this backup are files: remove media.s3 from the configuration for the restore')
    progress(`media: ${++files} files`)
    // A failed attempt may have left it.
    await blobs.delete(inside)
    await blobs.write(inside, archive.read(name))
  }
  // The last: a folder with a secret has been used.
  if (ofEnvironment === undefined) await writeDurably(join(dataDir, 'secret'), [Buffer.from(secret)])
}
