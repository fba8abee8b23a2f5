// Opens what uploads and stored media need, by the configuration and in the data folder.
import { join } from 'node:path'
import { type AccountCipher, createAccountCipher } from '../access/secrets/account-cipher.ts'
import type { MasterSecret } from '../access/secrets/master-secrets.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import type { Media } from '../storage/storage.ts'
import { boundBlobs } from './bounded-blobs.ts'
import { createDiskBlobs } from './disk.ts'
import { createMediaReads, type MediaReads } from './media-reads.ts'
import { type BlobStore, createMediaStore, type MediaStore } from './media-store.ts'
import { createS3Blobs } from './s3.ts'
import { createSignedUrls, type SignedUrls } from './signed-urls.ts'
import { openSpool, type Spool } from './spool.ts'

type Place = Pick<Environment, 'dataDir' | 'workers' | 'databaseUrl'>

export type OpenMediaOptions = {
  config(): Pick<FileConfig, 'media' | 'server'>
  masterSecret: MasterSecret
  accountCipher?: AccountCipher
  /** Where clients reach this process, if `server.public_url` is not set. */
  listenUrl(): string
  clock(): number
}

export type OpenedMedia = { spool: Spool; mediaStore: MediaStore; mediaReads: MediaReads; signedUrls: SignedUrls }

export async function openMedia(place: Place, records: Media, options: OpenMediaOptions): Promise<OpenedMedia> {
  const { config, masterSecret, listenUrl, clock } = options
  const blobs = openBlobs(place, config())
  // On SQLite no other process writes: what the previous one left unfinished can be deleted.
  if (place.databaseUrl === undefined) await records.expireUnfinished()
  const accountCipher = options.accountCipher ?? createAccountCipher(masterSecret)
  const baseUrl = () => config().server.publicUrl ?? listenUrl()
  return {
    spool: await openSpool(join(place.dataDir, 'spool'), () => spoolBytes(place, config())),
    mediaStore: createMediaStore(records, blobs),
    mediaReads: createMediaReads(),
    signedUrls: createSignedUrls({ masterSecret, accountCipher, baseUrl, clock }),
  }
}

/** The contents of stored media, without their records. */
export const openBlobs = (place: Pick<Place, 'dataDir'>, config: Pick<FileConfig, 'media'>): BlobStore =>
  boundBlobs(config.media?.s3 ? createS3Blobs(config.media.s3) : createDiskBlobs(mediaFolder(place, config) ?? ''))

/** The folder of stored media; undefined if they are in S3. */
export function mediaFolder(
  { dataDir }: Pick<Place, 'dataDir'>,
  { media }: Pick<FileConfig, 'media'>,
): string | undefined {
  return media?.s3 ? undefined : (media?.disk ?? join(dataDir, 'media'))
}

/** Workers share the disk, and each has its part of the bound, but room for one upload at least. */
function spoolBytes({ workers }: Place, { server: { limits } }: Pick<FileConfig, 'server'>): number {
  return Math.max(Math.floor(limits.spoolBytes / workers), limits.uploadBytes)
}
