// The master secret: given by the environment, or made once and kept in the data folder. The store remembers its
// fingerprint, so that a node with another secret is stopped before it can write what the others cannot read.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from './cli/args.ts'
import type { Environment } from './config/types.ts'
import type { Storage } from './storage/storage.ts'

export function masterSecret({ secret, dataDir }: Environment): string {
  if (secret !== undefined) return secret
  const file = join(dataDir, 'secret')
  if (!existsSync(file)) {
    const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
    writeFileSync(file, made, { mode: 0o600, flag: 'wx' })
  }
  return readFileSync(file, 'utf8').trim()
}

export async function checkFingerprint(storage: Storage, secret: string): Promise<void> {
  const fingerprint = new Bun.CryptoHasher('sha256', secret).update('trivium fingerprint').digest('hex').slice(0, 32)
  if ((await storage.setMetaOnce('secret_fingerprint', fingerprint)) !== fingerprint) {
    throw new UsageError('TRIVIUM_SECRET is not the one that this store was set up with')
  }
}
