// What sources of credentials read and call with.
import { constants, open } from 'node:fs/promises'
import type { CloudEnvironment } from '../../../config/settings/cloud-variables.ts'
import { describeSystemError } from '../../../config/system-error.ts'
import { type Expiring, type Source, SourceFailed } from '../credential.ts'
import { type CredentialFetch, createCredentialFetch, type FetchOptions } from './fetch-credential.ts'

export type SourceTools = CloudEnvironment & {
  fetch: CredentialFetch
  /** Milliseconds since 1970. */
  now(): number
}

export function createSourceTools(
  clouds: CloudEnvironment,
  options: Pick<SourceTools, 'now'> & Partial<FetchOptions>,
): SourceTools {
  const { IDENTITY_ENDPOINT } = clouds.variables
  const { now } = options
  return { ...clouds, now, fetch: createCredentialFetch({ identityEndpoint: IDENTITY_ENDPOINT, ...options }) }
}

/** A source that is found anew with every read, since files and tokens change. Its name is that of the one that was found last. */
export function foundSource<T>(name: string, { now }: SourceTools, find: () => Promise<Source<T>>): Source<T> {
  let found: Source<T> | undefined
  return {
    get name() {
      return found?.name ?? name
    },
    async read(signal) {
      found = await find()
      const credential = await found.read(signal)
      if (credential.expiresAt !== undefined && credential.expiresAt <= now())
        throw new SourceFailed(`${found.name}: the credential has expired already; check what makes it, and the clock`)
      return credential
    },
  }
}

/** Neither a token nor a file of profiles is larger. */
const MOST_BYTES = 1024 * 1024

/** The text of a file. `what`: for errors. */
export async function readText(path: string, what: string): Promise<string> {
  const found = await readIfThere(path, what)
  if (found === undefined) throw new SourceFailed(`${what}: cannot read ${path}: no such file`)
  return found
}

/** undefined: there is no such file. */
export async function readIfThere(path: string, what: string): Promise<string | undefined> {
  try {
    // Opening a pipe that nobody writes to would not end.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      // Nor would reading a device.
      if (!(await file.stat()).isFile()) throw new Error('not a file')
      const bytes = Buffer.alloc(MOST_BYTES + 1)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
      if (bytesRead > MOST_BYTES) throw new Error('larger than 1 MiB')
      return bytes.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new SourceFailed(`${what}: cannot read ${path}: ${describeSystemError(error)}`)
  }
}

/** The token in a file that its cluster rotates. */
export async function readToken(path: string, what: string): Promise<string> {
  return tokenIn((await readText(path, what)).trim(), `${what}: the file ${path}`)
}

/** Throws if a header cannot carry it. The message does not repeat it. */
export function tokenIn(text: string, what: string): string {
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text)) return text
  throw new SourceFailed(`${what} ${text === '' ? 'is empty' : 'has no token, but characters that no token has'}`)
}

export const never = <T>(value: T): Expiring<T> => ({ value, expiresAt: undefined })
