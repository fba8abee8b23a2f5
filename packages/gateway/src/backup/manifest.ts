// What a backup says about itself, and the check that all of it is there, byte for byte.
import type { Engine } from '../storage/copying/copy.ts'
import type { ArchiveReader } from './archive/read-archive.ts'
import { openArchive } from './archive/read-archive.ts'
import type { ArchiveWriter } from './archive/write-archive.ts'
import { decompressed, ZSTD } from './archive/zstd.ts'
import { BackupError } from './errors.ts'
import type { Progress } from './progress.ts'

/** Format 1 had no compressed members and no HMAC. */
export const FORMAT = 2
const READ_FORMATS: readonly number[] = [1, FORMAT]
export const MANIFEST = 'manifest.json'
/** The manifest has the checksums of all others; this is its own. */
const MANIFEST_SUM = 'manifest.sha256'
/** Absent where the master secret was not known, and in archives of format 1. */
export const MANIFEST_HMAC = 'manifest.hmac'

/** `bytes` and `sha256`: as stored, before anything is decompressed. `rows`, `columns` and `last_id`: of a table. */
export type ListedMember = {
  name: string
  bytes: number
  sha256: string
  rows?: number
  columns?: readonly string[]
  last_id?: string
}

export type Manifest = {
  format: number
  program: string
  schema_version: number
  engine: Engine
  created_at: string
  /** In nano-USD, of all accounts. */
  sums: { balance: string; held: string }
  /** `place`: whether the contents of media are in the archive, or only listed. `missing`: removed while they were copied. */
  media: { place: 'archive' | 's3' | 'left out'; objects: number; missing: number }
  has_secret: boolean
  members: ListedMember[]
}

export const memberOf = (table: string): string => `tables/${table}.jsonl${ZSTD}`
export const tableOf = (member: string): string | undefined => /^tables\/(\w+)\.jsonl(\.zst)?$/.exec(member)?.[1]

/** The bytes of a member as they were before it was compressed. */
export const contentOf = (archive: ArchiveReader, member: string): AsyncIterable<Uint8Array> =>
  member.endsWith(ZSTD) ? decompressed(archive.read(member)) : archive.read(member)

/** Resolves with its text, for the HMAC. */
export async function writeManifest(archive: ArchiveWriter, manifest: Manifest): Promise<string> {
  const text = `${JSON.stringify(manifest, undefined, 1)}\n`
  const { sha256 } = await archive.add(MANIFEST, [Buffer.from(text)])
  await archive.add(MANIFEST_SUM, [Buffer.from(`${sha256}\n`)])
  return text
}

/** Throws a BackupError unless every member is as it was written. */
export async function openVerified(
  file: string,
  progress: Progress,
): Promise<{ archive: ArchiveReader; manifest: Manifest }> {
  const damaged = (reason: string) => new BackupError(`${file} is damaged or not a backup: ${reason}`)
  const archive = await openArchive(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError(`${file} does not exist`) : damaged(error.message)
  })
  try {
    const text = await archive.text(MANIFEST)
    if ((await archive.text(MANIFEST_SUM)).trim() !== sha256Of(text)) throw new Error(`${MANIFEST} has changed`)
    const manifest = JSON.parse(text) as Manifest
    if (!READ_FORMATS.includes(manifest.format))
      throw new Error(
        `its format is ${manifest.format}, and this program reads ${READ_FORMATS.join(' and ')}: use the program that wrote it`,
      )
    const about = [MANIFEST, MANIFEST_SUM, MANIFEST_HMAC].filter((name) => archive.members.has(name)).length
    if (archive.members.size !== manifest.members.length + about)
      throw new Error('it has other files than its manifest')
    for (const member of manifest.members) {
      progress(`checking ${member.name}`)
      const hash = new Bun.CryptoHasher('sha256')
      for await (const piece of archive.read(member.name)) hash.update(piece)
      if (hash.digest('hex') !== member.sha256) throw new Error(`${member.name} has changed`)
    }
    return { archive, manifest }
  } catch (error) {
    await archive.close()
    throw damaged(error instanceof Error ? error.message : String(error))
  }
}

const sha256Of = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')
