// Encrypts everything in the store with the master secret that is in force: stored responses with their images, answers to idempotent
// requests, kept reasoning, second factors, secrets of the stored configuration. One row is in memory at a time. May be interrupted and repeated: what is done is skipped.

import type { AccountCipher, Purpose } from '../../access/secrets/account-cipher.ts'
import { open, seal } from '../../conversations/sealed.ts'
import { BlobMissing, type BlobStore } from '../../media/media-store.ts'
import { contextOf } from '../../paid-call/stored-response.ts'
import { SEALED_KINDS, type SealedKind, type SealedRow, type Storage } from '../../storage/storage.ts'
import { contextOfSecret, GATEWAY } from '../configuration/secrets.ts'

/** `next`: only by the new secret; `any`: also by the old one. */
type Ciphers = { next: AccountCipher; any: AccountCipher }
export type ResealDependencies = {
  storage: Pick<Storage, 'sealedRows' | 'signIns' | 'media' | 'configuration'>
  blobs: Pick<BlobStore, 'read' | 'replace'>
  ciphers: Ciphers
  /** Called after each value. */
  report(counts: Resealed): void
}

/** `unreadable`: damaged, or encrypted by a third secret; they stay as they are. */
export type Resealed = { changed: number; present: number; unreadable: number }

const PAGE = 500

export async function reseal(deps: ResealDependencies): Promise<Resealed> {
  const counts: Resealed = { changed: 0, present: 0, unreadable: 0 }
  for (const kind of SEALED_KINDS) await resealRows(kind, deps, counts)
  await resealSecondFactors(deps, counts)
  await resealStoredSecrets(deps, counts)
  return counts
}

async function resealRows(kind: SealedKind, deps: ResealDependencies, counts: Resealed): Promise<void> {
  const { sealedRows } = deps.storage
  for (let after: SealedRow | undefined; ; ) {
    const places = await sealedRows.places(kind, after, PAGE)
    for (const place of places) {
      const row = await sealedRows.read(kind, place)
      if (!row) continue
      // The images first: once the record is done, a repetition would not look for them.
      for (const image of row.media ?? []) await resealImage(image, row, deps, counts)
      const put = (sealed: Uint8Array) => sealedRows.replace(kind, place, row.sealed, sealed)
      await resealValue(row.sealed, valueIn(kind, row), put, deps, counts)
    }
    const last = places.at(-1)
    if (!last) return
    after = { ...last, sealed: NOTHING }
  }
}

const NOTHING = new Uint8Array()

/** How a value is decrypted and encrypted. */
type Value = {
  open(sealed: Uint8Array, cipher: AccountCipher): Uint8Array | undefined
  seal(plain: Uint8Array, cipher: AccountCipher): Uint8Array
}

async function resealValue(
  sealed: Uint8Array,
  value: Value,
  put: (sealed: Uint8Array) => Promise<unknown>,
  { ciphers, report }: ResealDependencies,
  counts: Resealed,
): Promise<void> {
  if (value.open(sealed, ciphers.next)) counts.present += 1
  else {
    const plain = value.open(sealed, ciphers.any)
    if (plain) await put(value.seal(plain, ciphers.next))
    counts[plain ? 'changed' : 'unreadable'] += 1
  }
  report(counts)
}

function valueIn(kind: SealedKind, { account, id, fingerprint = NOTHING }: SealedRow): Value {
  if (kind === 'turn' || kind === 'record') return partOf(account, String(id), kind)
  const key = Buffer.from(id as Uint8Array)
  if (kind === 'reasoning') return plainValue(account, 'reasoning', key)
  return plainValue(account, 'idempotent answers', contextOf({ key, fingerprint }))
}

const partOf = (account: bigint, id: string, part: 'turn' | 'record' | 'image'): Value => ({
  open: (sealed, accountCipher) => open({ account, id }, part, sealed, { accountCipher }),
  seal: (plain, accountCipher) => seal({ account, id }, part, plain, { accountCipher }),
})

const plainValue = (account: bigint, purpose: Purpose, context: Uint8Array): Value => ({
  open: (sealed, cipher) => cipher.decrypt(account, purpose, sealed, context),
  seal: (plain, cipher) => cipher.encrypt(account, purpose, plain, context),
})

async function resealImage(image: string, row: SealedRow, deps: ResealDependencies, counts: Resealed): Promise<void> {
  const record = await deps.storage.media.find(image)
  if (!record) return
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of deps.blobs.read(image, 0, record.size)) pieces.push(piece)
  } catch (error) {
    if (!(error instanceof BlobMissing)) throw error
    counts.unreadable += 1
    return
  }
  const put = (sealed: Uint8Array) => deps.blobs.replace(image, sealed)
  await resealValue(Buffer.concat(pieces), partOf(row.account, String(row.id), 'image'), put, deps, counts)
}

async function resealSecondFactors(deps: ResealDependencies, counts: Resealed): Promise<void> {
  const { signIns } = deps.storage
  for (let after = 0n; ; ) {
    const people = await signIns.secondFactors(after, PAGE)
    for (const { person, secret } of people) {
      const put = (sealed: Uint8Array) => signIns.resealSecondFactor(person, secret, sealed)
      await resealValue(secret, plainValue(person, 'second factors', NOTHING), put, deps, counts)
    }
    const last = people.at(-1)
    if (!last) return
    after = last.person
  }
}

async function resealStoredSecrets(deps: ResealDependencies, counts: Resealed): Promise<void> {
  const { configuration } = deps.storage
  for (let after = ''; ; ) {
    const secrets = await configuration.secrets(after, PAGE)
    for (const { id, sealed } of secrets) {
      const put = (next: Uint8Array) => configuration.resealSecret(id, sealed, next)
      await resealValue(sealed, plainValue(GATEWAY, 'configuration', contextOfSecret(id)), put, deps, counts)
    }
    const last = secrets.at(-1)
    if (!last) return
    after = last.id
  }
}
