// `trivium ready`: asks the server of this machine whether it takes requests. Health checks of containers have no curl.

import { serverUrl } from '@trivium/http/addresses/server-url.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors.ts'

const WITHIN_MS = 5_000

export async function askReady(context: CommandContext): Promise<unknown> {
  const environment = context.environment()
  const { tls } = context.config(environment).server
  const url = `${serverUrl(environment.host, environment.port, tls !== undefined)}/ready`
  const response = await fetch(url, {
    signal: AbortSignal.timeout(WITHIN_MS),
    // Its certificate is for another name than this address.
    tls: { rejectUnauthorized: false },
  }).catch(() => undefined)
  if (!response) throw new CommandError(`no server answers at ${url}`)
  if (!response.ok) throw new CommandError(`the server at ${url} does not take requests now (${response.status})`)
  return response.json()
}
