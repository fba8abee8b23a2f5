// `trivium ready`: asks the server of this machine whether it takes requests. Health checks of containers have no curl.

import { serverUrl } from '@trivium/http/addresses/server-url.ts'
import type { Environment } from '../../config/types.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors.ts'

const WITHIN_MS = 5_000

export async function askReady(context: CommandContext): Promise<unknown> {
  const environment = context.environment()
  const tried = await schemes(context, environment)
  const [url = '', other] = tried.map((tls) => `${serverUrl(environment.host, environment.port, tls)}/ready`)
  const response = (await ask(url)) ?? (other === undefined ? undefined : await ask(other))
  if (!response) throw new CommandError(`no server answers at ${url}`)
  if (!response.ok) throw new CommandError(`the server at ${url} does not take requests now (${response.status})`)
  return response.json()
}

const ask = (url: string): Promise<Response | undefined> =>
  fetch(url, {
    signal: AbortSignal.timeout(WITHIN_MS),
    // Its certificate is for another name than this address.
    tls: { rejectUnauthorized: false },
  }).catch(() => undefined)

/** Whether the server uses TLS. A file that names stored entries or Vault has mistakes without them: then either is tried. */
async function schemes(context: CommandContext, environment: Environment): Promise<boolean[]> {
  try {
    return [(await context.config(environment, { withoutVault: true })).server.tls !== undefined]
  } catch {
    return [false, true]
  }
}
