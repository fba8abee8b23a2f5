// Tenant isolation where one vendor account serves many: keyed hashes instead of account names, and signatures of reasoning that
// leave the gateway encrypted, so that no other account and no other upstream can use them.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { SEAL_PREFIX } from '@trivium/protocol/canonical/seal.ts'
import { TEXT_DIALECT_IDS, TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { bySecret, type MasterSecret } from '../../access/secrets/master-secrets.ts'

export type Seals = {
  /** Identifies the account to a vendor: stable, and meaningless without the master secret. */
  tagOf(account: bigint): string
  seal(account: bigint, upstream: string, value: string): string
  /** The value, if it was sealed for this account and upstream; else undefined. */
  unseal(account: bigint, upstream: string, sealed: string): string | undefined
}

const QUOTE = Buffer.from('"')

/** How sealed text begins in a body of each dialect. */
const MARKS = Object.fromEntries(
  TEXT_DIALECT_IDS.map((id) => [id, TEXT_DIALECTS[id].sealed.marks.map((mark) => Buffer.from(mark))]),
) as unknown as Readonly<Record<TextDialectId, readonly Buffer[]>>

// Buffer's methods work on any byte array: creating a Buffer of a body would cost more than searching it.
const { indexOf } = Buffer.prototype
const find = (body: Uint8Array, part: Buffer, from = 0): number => indexOf.call(body, part, from)
const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array, start: number, end: number): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1', start, end)

/**
 * Whether a conversation contains sealed reasoning, from an upstream of another dialect: an upstream of the caller's own dialect
 * would reject it.
 */
export function hasForeignReasoning(body: Uint8Array, dialect: TextDialectId): boolean {
  for (const mark of MARKS[dialect]) if (find(body, mark) !== -1) return true
  return false
}

/** The first sealed text of a conversation, in the form that `unseal` takes. */
export function sealedText(body: Uint8Array, dialect: TextDialectId): string | undefined {
  for (const mark of MARKS[dialect]) {
    const at = find(body, mark)
    if (at === -1) continue
    const text = textOf(body, at + 1, find(body, QUOTE, at + 1))
    const plain = TEXT_DIALECTS[dialect].sealed.isBase64 ? Buffer.from(text, 'base64').toString('latin1') : text
    return plain.slice(plain.indexOf(SEAL_PREFIX))
  }
  return undefined
}

const IV_BYTES = 12
const TAG_BYTES = 16
const REMEMBERED = 100_000

export function createSeals(masterSecret: MasterSecret): Seals {
  const { current, all } = bySecret(masterSecret, sealsOf)
  return {
    tagOf: (account) => current().tagOf(account),
    seal: (account, upstream, value) => current().seal(account, upstream, value),
    unseal(account, upstream, sealed) {
      for (const each of all()) {
        const value = each.unseal(account, upstream, sealed)
        if (value !== undefined) return value
      }
      return undefined
    },
  }
}

function sealsOf(masterSecret: string): Seals {
  const keyFor = (purpose: string) => Buffer.from(hkdfSync('sha256', masterSecret, '', `trivium ${purpose}`, 32))
  const sealKey = keyFor('signatures')
  const tagKey = keyFor('account tags')
  const tags = new Map<bigint, string>()

  return {
    tagOf(account) {
      const known = tags.get(account)
      if (known !== undefined) return known
      const tag = createHmac('sha256', tagKey).update(String(account)).digest('base64url').slice(0, 32)
      if (tags.size >= REMEMBERED) tags.clear()
      tags.set(account, tag)
      return tag
    },

    seal(account, upstream, value) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv).setAAD(boundTo(account, upstream))
      const text = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return SEAL_PREFIX + text.toString('base64url')
    },

    unseal(account, upstream, sealed) {
      if (!sealed.startsWith(SEAL_PREFIX)) return undefined
      const bytes = Buffer.from(sealed.slice(SEAL_PREFIX.length), 'base64url')
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
      const iv = bytes.subarray(0, IV_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', sealKey, iv).setAAD(boundTo(account, upstream))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}

const boundTo = (account: bigint, upstream: string): Buffer => Buffer.from(`${account} ${upstream}`)
