// The master secret in a backup, encrypted with a passphrase: AES-256-GCM with a key from scrypt.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { BackupError } from './errors.ts'

/** 128 MiB and about half a second for each guess. Tests lower it. */
export const PASSPHRASE_COST = { N: 131_072, r: 8, p: 1 }
const MEMORY = 256 * 1024 * 1024
export const SHORTEST_PASSPHRASE = 8

type Sealed = { kdf: 'scrypt'; cost: typeof PASSPHRASE_COST; salt: string; nonce: string; text: string; tag: string }

export async function sealSecret(secret: string, passphrase: string): Promise<string> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt, PASSPHRASE_COST), nonce)
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  const sealed: Sealed = {
    kdf: 'scrypt',
    cost: PASSPHRASE_COST,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    text: text.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  }
  return `${JSON.stringify(sealed)}\n`
}

export async function openSecret(written: string, passphrase: string): Promise<string> {
  const { cost, salt, nonce, text, tag } = JSON.parse(written) as Sealed
  const bytes = (value: string) => Buffer.from(value, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, bytes(salt), cost), bytes(nonce))
  decipher.setAuthTag(bytes(tag))
  try {
    return Buffer.concat([decipher.update(bytes(text)), decipher.final()]).toString('utf8')
  } catch {
    throw new BackupError('the passphrase is wrong: the master secret of this backup cannot be decrypted with it')
  }
}

function keyOf(passphrase: string, salt: Uint8Array, { N, r, p }: typeof PASSPHRASE_COST): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize(), salt, 32, { N, r, p, maxmem: MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}
