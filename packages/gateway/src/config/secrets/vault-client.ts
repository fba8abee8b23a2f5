// Speaks to HashiCorp Vault or OpenBao: logs in, renews its token, reads key-value secrets of version 1 and 2. No message repeats what
// the server says.
import { readFile } from 'node:fs/promises'
import { describeSystemError } from '../system-error.ts'
import type { VaultSettings } from './settings.ts'

export type VaultClient = {
  /** The fields of a secret. Throws with the reason. */
  read(path: string, signal: AbortSignal): Promise<Record<string, unknown>>
}

/** Vault itself did not answer, so that it is not asked for other secrets either. */
export class VaultDown extends Error {}

/** `renewAt`: from then on, it is renewed before it is used. */
type Session = { token: string; canRenew: boolean; openedAt: number; renewAt: number }
type Answer = { status: number; body: Fields }
type Fields = Readonly<Record<string, unknown>>

/** A response is no larger: Vault itself keeps no larger entry by default. */
const MOST_BYTES = 1024 * 1024
/** A token that was rejected although it is not older was not revoked: the policy lacks the path. */
const SURELY_VALID_MS = 10_000

export function createVaultClient(
  { address, namespace, ca, login }: VaultSettings,
  clock: () => number = Date.now,
): VaultClient {
  let session: Session | undefined
  let opening: Promise<Session> | undefined

  async function call(method: string, path: string, token: string, signal: AbortSignal, body?: Fields) {
    const response = await fetch(`${address}/v1/${path}`, {
      method,
      signal,
      redirect: 'manual',
      headers: {
        'x-vault-request': 'true',
        'accept-encoding': 'identity',
        ...(token ? { 'x-vault-token': token } : {}),
        ...(namespace ? { 'x-vault-namespace': namespace } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(ca ? { tls: { ca } } : {}),
    }).catch((error) => {
      throw unreachable(error)
    })
    return checked(await answerOf(response), address)
  }

  /** With a token from outside there is nothing to log in with. */
  async function logIn(signal: AbortSignal): Promise<Session> {
    if (login.type === 'token') {
      const unknown = { token: login.token, canRenew: false, openedAt: clock(), renewAt: Number.POSITIVE_INFINITY }
      return (await renew(unknown, signal)) ?? unknown
    }
    const given =
      login.type === 'app_role'
        ? { role_id: login.roleId, secret_id: login.secretId }
        : { role: login.role, jwt: await serviceAccountToken(login.tokenFile) }
    const { status, body } = await call('POST', `auth/${encoded(login.mount)}/login`, '', signal, given)
    const opened = status === 200 ? sessionOf(body) : undefined
    if (opened) return opened
    throw new VaultDown(
      `Vault at ${address} rejected the login (status ${status}); check secrets.vault.${login.type}, its mount, and that the role exists`,
    )
  }

  /** undefined: it cannot be renewed, or not any more. */
  async function renew({ token }: Session, signal: AbortSignal): Promise<Session | undefined> {
    const { status, body } = await call('POST', 'auth/token/renew-self', token, signal, {})
    return status === 200 ? sessionOf(body) : undefined
  }

  function sessionOf({ auth }: Fields): Session | undefined {
    if (!isFields(auth) || typeof auth.client_token !== 'string') return undefined
    const seconds = typeof auth.lease_duration === 'number' ? auth.lease_duration : 0
    const now = clock()
    const renewAt = seconds > 0 ? now + seconds * 500 : Number.POSITIVE_INFINITY
    return { token: auth.client_token, canRenew: auth.renewable === true, openedAt: now, renewAt }
  }

  /** One login at a time. */
  function open(signal: AbortSignal): Promise<Session> {
    const current = session
    if (current && clock() < current.renewAt) return Promise.resolve(current)
    opening ??= (async () => {
      session = (current?.canRenew && (await renew(current, signal))) || (await logIn(signal))
      return session
    })().finally(() => {
      opening = undefined
    })
    return opening
  }

  return {
    async read(path, signal) {
      const get = ({ token }: Session) => call('GET', encoded(path), token, signal)
      const used = await open(signal)
      let answer = await get(used)
      if (answer.status === 403 && login.type !== 'token') {
        if (session === used && clock() - used.openedAt > SURELY_VALID_MS) session = undefined
        const next = await open(signal)
        if (next !== used) answer = await get(next)
      }
      return secretIn(answer, path)
    },
  }

  function unreachable(error: unknown): VaultDown {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const reason = isLate ? 'it did not answer in time' : describeSystemError(error)
    return new VaultDown(`Vault at ${address} cannot be reached: ${reason}; start it, or correct secrets.vault.address`)
  }

  async function answerOf(response: Response): Promise<Answer> {
    const { status } = response
    const pieces: Uint8Array[] = []
    let bytes = 0
    const reader = response.body?.getReader()
    try {
      for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
        bytes += read.value.length
        if (bytes > MOST_BYTES) throw new VaultDown(`Vault at ${address} sent more than ${MOST_BYTES / 1024} KiB`)
        pieces.push(read.value)
      }
    } catch (error) {
      await reader?.cancel().catch(() => {})
      throw error instanceof VaultDown ? error : unreachable(error)
    }
    try {
      const body: unknown = JSON.parse(Buffer.concat(pieces).toString() || '{}')
      return { status, body: isFields(body) ? body : {} }
    } catch {
      if (status === 200) throw new VaultDown(`${address} did not answer with JSON: it is not Vault`)
      return { status, body: {} }
    }
  }
}

/** What is no answer about the secret itself. */
function checked(answer: Answer, address: string): Answer {
  const { status, body } = answer
  const at = `Vault at ${address}`
  if (status >= 300 && status < 400)
    throw new VaultDown(
      `${at} redirects (status ${status}), which is not followed; give the address of the active node or of a load balancer`,
    )
  if (status === 503 && JSON.stringify(body).includes('sealed')) throw new VaultDown(`${at} is sealed; unseal it`)
  if (status === 429 || status >= 500) throw new VaultDown(`${at} answered with status ${status}`)
  return answer
}

function secretIn({ status, body }: Answer, path: string): Record<string, unknown> {
  if (status === 403)
    throw new Error(`Vault denied access; the token must be valid, with a policy that has "read" on "${path}"`)
  const { data, lease_id: lease } = body
  if (status === 404) {
    if (JSON.stringify(body).includes('versioned K/V'))
      throw new Error(`its mount is a key-value engine of version 2; write ${path.replace('/', '/data/')}`)
    throw new Error(isFields(data) ? 'its newest version is deleted' : 'it does not exist in Vault')
  }
  if (status !== 200 || !isFields(data)) throw new Error(`Vault answered with status ${status}`)
  if (lease) throw new Error('it is a dynamic secret, which every reading makes anew; only key-value secrets are read')
  const isVersion2 = isFields(data.metadata) && typeof data.metadata.version === 'number'
  return isVersion2 && isFields(data.data) ? data.data : data
}

/** Kubernetes replaces it within its life. */
async function serviceAccountToken(file: string): Promise<string> {
  return await readFile(file, 'utf8').then(
    (text) => text.trim(),
    (error) => {
      throw new VaultDown(`the service account token ${file} cannot be read: ${describeSystemError(error)}`)
    },
  )
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
