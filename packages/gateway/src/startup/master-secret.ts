// The master secret: from the environment, or generated once and kept in the data folder. The store keeps its
// fingerprint, so that a process with a different secret fails before it writes data that others cannot decrypt.
//
// A rotation has two secrets: the new one, and the old one beside it (TRIVIUM_SECRET_OLD, or the file secret.old). Both are accepted; the
// fingerprint in the store says which one is in force.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FINGERPRINT, fingerprintOf } from '../access/secrets/fingerprint.ts'
import type { MasterSecrets } from '../access/secrets/master-secrets.ts'
import { CommandError, UsageError } from '../cli/errors.ts'
import type { Environment } from '../config/types.ts'
import type { Storage } from '../storage/storage.ts'

/** The fingerprint of the secret that everything in the store was encrypted with at the end of the last rotation. */
const ROTATED = 'secret_rotated'

type Place = Pick<Environment, 'secret' | 'secretOld' | 'dataDir'>

/** The secret that this store was created with, or last rotated to. Throws a CommandError if it is missing or different. */
export async function masterSecrets(storage: Storage, environment: Place): Promise<MasterSecrets> {
  const { secret, secretOld } = environment
  if (secret !== undefined)
    return await accept(
      storage,
      [secret, secretOld],
      'TRIVIUM_SECRET does not match the secret that this store was created with',
    )
  const file = fileIn(environment)
  const known = (await storage.meta.get(FINGERPRINT)) !== undefined
  if (!existsSync(file)) return await makeSecret(storage, file, known)
  // The file gets its name after the store has the fingerprint: a store without one has lost its data.
  if (!known) {
    const { dataDir } = environment
    throw new CommandError(
      `the database in ${dataDir} is empty although the folder has been used before: restore it, or use another folder`,
    )
  }
  const old = existsSync(oldOf(file)) ? readSecret(oldOf(file)) : undefined
  return await accept(
    storage,
    [readSecret(file), old],
    `${file} does not match the secret that this store was created with: restore the original file`,
  )
}

const fileIn = ({ dataDir }: Pick<Place, 'dataDir'>): string => join(dataDir, 'secret')
const oldOf = (file: string): string => `${file}.old`

/** Both secrets, the new one in force from now on. Of a rotation that was interrupted, the same ones. */
export async function beginRotation(storage: Storage, environment: Place): Promise<MasterSecrets> {
  let secrets = await masterSecrets(storage, environment)
  if (environment.secret === undefined && !(await isUnfinished(storage, secrets))) {
    makeNext(fileIn(environment), secrets.current)
    secrets = await masterSecrets(storage, environment)
  }
  const [next = '', old] = secrets.accepted
  if (old === undefined)
    throw new UsageError(
      'set TRIVIUM_SECRET to a new secret and TRIVIUM_SECRET_OLD to the present one, for this command and for all servers',
    )
  await storage.meta.set(FINGERPRINT, fingerprintOf(next))
  secrets.current = next
  return secrets
}

export const endRotation = (storage: Storage, { current }: MasterSecrets): Promise<void> =>
  storage.meta.set(ROTATED, fingerprintOf(current))

async function isUnfinished({ meta }: Storage, { accepted: [next = '', old] }: MasterSecrets): Promise<boolean> {
  return old !== undefined && (await meta.get(ROTATED)) !== fingerprintOf(next)
}

/** After a crash in between, both files have the same secret, and a repetition starts over. */
function makeNext(file: string, present: string): void {
  writeDurably(`${file}.new`, present)
  renameSync(`${file}.new`, oldOf(file))
  writeDurably(`${file}.new`, newSecret())
  renameSync(`${file}.new`, file)
}

const newSecret = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')

/** After a crash at any point, the next start either starts over or completes this. */
async function makeSecret(storage: Storage, file: string, known: boolean): Promise<MasterSecrets> {
  const newFile = `${file}.new`
  const missing = `${file} is missing: restore it, or set TRIVIUM_SECRET to its contents`
  if (!known) writeDurably(newFile, newSecret())
  else if (!existsSync(newFile)) throw new CommandError(missing)
  const secrets = await accept(storage, [readSecret(newFile), undefined], missing)
  renameSync(newFile, file)
  return secrets
}

type Given = readonly [secret: string, old: string | undefined]

async function accept(storage: Storage, [secret, old]: Given, mismatch: string): Promise<MasterSecrets> {
  const known = await storage.meta.setOnce(FINGERPRINT, fingerprintOf(secret))
  const accepted = old === undefined || old === secret ? [secret] : [secret, old]
  const current = accepted.find((each) => fingerprintOf(each) === known)
  if (current === undefined) throw new CommandError(mismatch)
  return { current, accepted }
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
