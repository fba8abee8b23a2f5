// Whether an archive is what this gateway wrote. Its checksums find damage; only the master secret proves that nobody has changed it:
// an HMAC of the manifest, which has the checksums of all members. A passphrase decrypts the secret, so it proves the same.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { ArchiveReader } from './archive/read-archive.ts'
import type { ArchiveWriter } from './archive/write-archive.ts'
import { BackupError } from './errors.ts'
import { MANIFEST, MANIFEST_HMAC } from './manifest.ts'

const hmacOf = (manifest: string, secret: string): string =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', secret, '', 'trivium backup manifest', 32)))
    .update(manifest)
    .digest('hex')

export async function sign(archive: ArchiveWriter, manifest: string, secret: string): Promise<void> {
  await archive.add(MANIFEST_HMAC, [Buffer.from(`${hmacOf(manifest, secret)}\n`)])
}

/** Whether it is authenticated. Throws a BackupError if it was changed, or if it has no HMAC and that is not allowed. */
export async function authenticate(
  archive: ArchiveReader,
  { secret, mayLack, file }: { secret: string; mayLack: boolean; file: string },
): Promise<boolean> {
  if (!archive.members.has(MANIFEST_HMAC)) {
    if (mayLack) return false
    throw new BackupError(
      `${file} is not authenticated: it was written by an earlier version or without the master secret, and nothing shows whether someone has changed it. To restore it anyway, add --unauthenticated`,
    )
  }
  const written = Buffer.from((await archive.text(MANIFEST_HMAC)).trim())
  const expected = Buffer.from(hmacOf(await archive.text(MANIFEST), secret))
  if (written.length === expected.length && timingSafeEqual(written, expected)) return true
  throw new BackupError(`${file} was changed after it was written: its manifest does not match its HMAC`)
}
