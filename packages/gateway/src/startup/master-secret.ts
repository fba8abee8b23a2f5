// The master secret: given by the environment, or made once and kept in the data folder. The store remembers its
// fingerprint, so that a process with another secret is stopped before it can write what the others cannot read.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../cli/errors.ts'
import type { Environment } from '../config/types.ts'
import type { Storage } from '../storage/storage.ts'

const FINGERPRINT = 'secret_fingerprint'

/** The secret that this store was set up with, or a CommandError that says what is the matter. */
export async function masterSecret(
  storage: Storage,
  environment: Pick<Environment, 'secret' | 'dataDir'>,
): Promise<string> {
  if (environment.secret !== undefined) {
    await agree(
      storage,
      environment.secret,
      'TRIVIUM_SECRET does not match the secret that this store was created with',
    )
    return environment.secret
  }
  const file = join(environment.dataDir, 'secret')
  const known = (await storage.meta.get(FINGERPRINT)) !== undefined
  if (!existsSync(file)) return await makeSecret(storage, file, known)
  // The file got its name after the store had taken the fingerprint: without one, the store has lost all the rest, too.
  if (!known) {
    const { dataDir } = environment
    throw new CommandError(
      `the database in ${dataDir} is empty although the folder has been used before: restore it, or use another folder`,
    )
  }
  const secret = readSecret(file)
  await agree(
    storage,
    secret,
    `${file} does not match the secret that this store was created with: restore the original file`,
  )
  return secret
}

/** A crash at any point leaves either nothing that counts, or all that the next start needs to go on. */
async function makeSecret(storage: Storage, file: string, known: boolean): Promise<string> {
  const making = `${file}.new`
  const missing = `${file} is missing: restore it, or set TRIVIUM_SECRET to its contents`
  if (!known) writeDurably(making, Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex'))
  else if (!existsSync(making)) throw new CommandError(missing)
  const secret = readSecret(making)
  await agree(storage, secret, missing)
  renameSync(making, file)
  return secret
}

async function agree(storage: Storage, secret: string, otherwise: string): Promise<void> {
  const fingerprint = new Bun.CryptoHasher('sha256', secret).update('trivium fingerprint').digest('hex').slice(0, 32)
  if ((await storage.meta.setOnce(FINGERPRINT, fingerprint)) !== fingerprint) throw new CommandError(otherwise)
}

function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < 16)
    throw new CommandError(`${file} is damaged: restore it, or set TRIVIUM_SECRET to its contents`)
  return secret
}

function writeDurably(file: string, text: string): void {
  const descriptor = openSync(file, 'w', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
