// The call of the admin API that does the same as an act, for scripts.

import { filledPath } from '../../api/client.ts'
import { useAbout } from '../../api/queries.ts'
import { shellQuote } from '../../snippets/literals.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import type { AnyAct } from './act-types.ts'

export function CurlOf({ act, reason }: { act: AnyAct; reason: string }) {
  const t = useOperateTexts().acts
  const { data } = useAbout()
  return <CopyButton withText text={curlOf(act, reason, data?.base_url ?? '')} name={t.copyCurl} />
}

/** Never in a copied text. */
const SECRETS = /^(?:keys?|secret|password|token)$/

export function curlOf({ method, path, params, body }: AnyAct, reason: string, base: string): string {
  const isDelete = method === 'DELETE'
  const query = isDelete && reason !== '' ? { reason } : {}
  const url = `${base}/admin/v1/${filledPath(path, { ...params, ...query })}`
  const sent = { ...(body as object | undefined), ...(reason === '' ? {} : { reason }) }
  const lines = [
    `curl -X ${method} ${shellQuote(url)}`,
    '-H "Authorization: Bearer $TRIVIUM_ADMIN_KEY"',
    ...(isDelete
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(withoutSecrets(sent)))}`]),
  ]
  return lines.join(' \\\n  ')
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, SECRETS.test(name) ? masked(part) : withoutSecrets(part)]),
  )
}

/** Names of keys of the gateway are numbers, which are no secrets. */
const masked = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(masked) : typeof value === 'string' && !/^\d+$/.test(value) ? '...' : value
