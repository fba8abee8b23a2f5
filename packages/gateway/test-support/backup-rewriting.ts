// Archives with other members, for tests: sums that match them need no secret, a signature does.
import { openArchive } from '../src/backup/archive/read-archive.ts'
import { createArchive } from '../src/backup/archive/write-archive.ts'
import { compressed } from '../src/backup/archive/zstd.ts'
import { sign } from '../src/backup/authenticate.ts'
import { contentOf, type Manifest, tableOf, writeManifest } from '../src/backup/manifest.ts'
import { SECRET } from './backup-store.ts'

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>
export type Rewriting = {
  manifest?(manifest: Manifest): Manifest
  /** A member with other contents; undefined: as it is. */
  member?(name: string, content: Pieces): Promise<{ name: string; content: Pieces } | undefined>
  /** The secret that signs it, if not the store's own; `kept`: it has the HMAC of before. */
  signed?: { with: string } | 'kept' | 'not at all'
}
/** The archive with other members, and sums that match: nobody needs a secret for that. */
export async function rewrite(file: string, copy: string, rewriting: Rewriting): Promise<string> {
  const { manifest: change = (same) => same, member, signed = { with: SECRET } } = rewriting
  const archive = await openArchive(file)
  const writer = await createArchive(copy)
  const manifest = JSON.parse(await archive.text('manifest.json')) as Manifest
  const members: Manifest['members'] = []
  for (const listed of manifest.members) {
    const { name, content } = (await member?.(listed.name, contentOf(archive, listed.name))) ?? {
      name: listed.name,
      content: archive.read(listed.name),
    }
    members.push({ ...listed, name, ...(await writer.add(name, content)) })
  }
  const text = await writeManifest(writer, change({ ...manifest, members }))
  if (signed === 'kept') await writer.add('manifest.hmac', archive.read('manifest.hmac'))
  else if (signed !== 'not at all') await sign(writer, text, signed.with)
  await writer.finish()
  await archive.close()
  return copy
}

/** The admin key of the store gets another role. */
export async function changeRole(name: string, content: Pieces) {
  if (tableOf(name) !== 'admin_key') return undefined
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  const rows = Buffer.concat(pieces).toString()
  return { name, content: compressed([Buffer.from(rows.replace('"owner"', '"admin"'))]) }
}

/** As an earlier version wrote it: not compressed, not signed. */
export const FORMAT_1: Rewriting = {
  member: async (name, content) => ({ name: name.replace('.zst', ''), content }),
  manifest: (manifest) => ({ ...manifest, format: 1 }),
  signed: 'not at all',
}
