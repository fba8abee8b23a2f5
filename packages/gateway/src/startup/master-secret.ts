// The master secret: from the environment, or generated once and kept in the data folder. The store keeps its
// fingerprint, so that a process with a different secret fails before it writes data that others cannot decrypt.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FINGERPRINT, fingerprintOf } from '../access/secrets/fingerprint.ts'
import { CommandError } from '../cli/errors.ts'
import type { Environment } from '../config/types.ts'
import type { Storage } from '../storage/storage.ts'

/** The secret that this store was created with. Throws a CommandError if it is missing or different. */
export async function masterSecret(
  storage: Storage,
  environment: Pick<Environment, 'secret' | 'dataDir'>,
): Promise<string> {
  if (environment.secret !== undefined) {
    await verifyFingerprint(
      storage,
      environment.secret,
      'TRIVIUM_SECRET does not match the secret that this store was created with',
    )
    return environment.secret
  }
  const file = join(environment.dataDir, 'secret')
  const known = (await storage.meta.get(FINGERPRINT)) !== undefined
  if (!existsSync(file)) return await makeSecret(storage, file, known)
  // The file gets its name after the store has the fingerprint: a store without one has lost its data.
  if (!known) {
    const { dataDir } = environment
    throw new CommandError(
      `the database in ${dataDir} is empty although the folder has been used before: restore it, or use another folder`,
    )
  }
  const secret = readSecret(file)
  await verifyFingerprint(
    storage,
    secret,
    `${file} does not match the secret that this store was created with: restore the original file`,
  )
  return secret
}

/** After a crash at any point, the next start either starts over or completes this. */
async function makeSecret(storage: Storage, file: string, known: boolean): Promise<string> {
  const newFile = `${file}.new`
  const missing = `${file} is missing: restore it, or set TRIVIUM_SECRET to its contents`
  if (!known) writeDurably(newFile, Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex'))
  else if (!existsSync(newFile)) throw new CommandError(missing)
  const secret = readSecret(newFile)
  await verifyFingerprint(storage, secret, missing)
  renameSync(newFile, file)
  return secret
}

async function verifyFingerprint(storage: Storage, secret: string, mismatch: string): Promise<void> {
  const fingerprint = fingerprintOf(secret)
  if ((await storage.meta.setOnce(FINGERPRINT, fingerprint)) !== fingerprint) throw new CommandError(mismatch)
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
