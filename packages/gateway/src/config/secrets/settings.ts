// Section `secrets`, which only a file can have: where Vault is, and which secrets stored entries may refer to.
import { readFileSync } from 'node:fs'
import { isLoopback } from '@trivium/http/addresses/client-address.ts'
import { addMistake, addWarning, type ReadContext, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, listOf, quoteSource } from '../../yaml/fields.ts'
import { readPath, readText, readUrl, withoutTrailingSlash } from '../../yaml/scalars.ts'
import type { VaultVariable } from '../settings/variables.ts'
import { describeSystemError } from '../system-error.ts'

type Login =
  | { type: 'token'; token: string }
  | { type: 'app_role'; roleId: string; secretId: string; mount: string }
  | { type: 'kubernetes'; role: string; mount: string; tokenFile: string }

/** `ca`: certificates in PEM that sign Vault's. */
export type VaultSettings = { address: string; namespace?: string; ca?: string; login: Login }

/** `vault`: a text says why there is none. `allow`: such as `vault:kv/data/trivium/*`. */
export type SecretSettings = { vault: VaultSettings | string; allow: readonly string[] }

const ADDRESS = 'https://vault.example.com:8200'
const EXAMPLE = `secrets: { vault: { address: "${ADDRESS}" }, allow: ["vault:kv/data/trivium/*"] }`
const LOGINS = 'token, app_role or kubernetes'
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token'
const MOST_ALLOWED = 100

type Variables = (name: VaultVariable) => string | undefined

/** The file is more precise than the environment. */
export function readSecrets(value: YamlValue | undefined, { env }: ReadContext): SecretSettings {
  const variable: Variables = (name) => env[name] || undefined
  const fields = value && fieldsOf(value, { vault: true, allow: true }, EXAMPLE)
  const allow = fields?.optional('allow', listOf(readAllowed, '["vault:kv/data/trivium/*"]'), []) ?? []
  const list = fields?.get('allow')
  if (list && allow.length > MOST_ALLOWED) addMistake(list, `has ${allow.length} entries; ${MOST_ALLOWED} are possible`)
  return { vault: readVault(fields?.get('vault'), variable), allow }
}

const FIELDS = { address: true, namespace: true, ca: true, token: true, app_role: true, kubernetes: true } as const

function readVault(value: YamlValue | undefined, variable: Variables): VaultSettings | string {
  const fields = value && fieldsOf(value, FIELDS, `{ address: "${ADDRESS}", token: "\${VAULT_TOKEN}" }`)
  const text = (name: string) => fields?.optional<string | undefined>(name, readText, undefined)
  const written = fields?.get('address')
  const address = written ? readAddress(written) : variable('VAULT_ADDR')?.replace(/\/+$/, '')
  const namespace = text('namespace') ?? variable('VAULT_NAMESPACE')
  const caFile = fields?.optional<string | undefined>('ca', readPath, undefined) ?? variable('VAULT_CACERT')
  const logins = ['token', 'app_role', 'kubernetes'].flatMap((name) => fields?.get(name) ?? [])
  if (value && logins.length > 1) addMistake(value, `has several logins; write one of ${LOGINS}`)
  const login = logins[0] ? readLogin(logins[0]) : tokenOf(variable('VAULT_TOKEN'))
  if (address === undefined) return 'no Vault is configured; write secrets.vault.address, or set VAULT_ADDR'
  if (!/^https?:\/\/[^\s/?#@]+$/i.test(address)) return `VAULT_ADDR must be a URL without a path, such as ${ADDRESS}`
  if (!login) return `Vault needs a login; write ${LOGINS} in secrets.vault, or set VAULT_TOKEN`
  let ca: string | undefined
  try {
    ca = caFile && readFileSync(caFile, 'utf8')
  } catch (error) {
    return `the certificates of Vault in ${caFile} cannot be read: ${describeSystemError(error)}`
  }
  return { address, login, ...(namespace ? { namespace } : {}), ...(ca ? { ca } : {}) }
}

const tokenOf = (token: string | undefined): Login | undefined => (token ? { type: 'token', token } : undefined)

function readAddress(value: YamlValue): string | undefined {
  const url = readUrl(value, { credentials: false, example: ADDRESS })
  if (url && url.pathname !== '/') addMistake(value, `must be a URL without a path, such as ${ADDRESS}`)
  if (url?.protocol === 'http:' && url.hostname !== 'localhost' && !isLoopback(url.hostname))
    addWarning(value, 'is not https://: the token and the secrets cross the network unencrypted')
  return url && withoutTrailingSlash(url)
}

function readLogin(value: YamlValue): Login | undefined {
  const type = value.path.split('.').at(-1)
  if (type === 'token') return tokenOf(readText(value))
  if (type === 'app_role') {
    const fields = fieldsOf(value, { role_id: true, secret_id: true, mount: true }, '{ role_id: ..., secret_id: ... }')
    const [roleId, secretId] = [fields?.required('role_id', readText), fields?.required('secret_id', readText)]
    const mount = fields?.optional('mount', readText, 'approle') ?? ''
    return roleId === undefined || secretId === undefined ? undefined : { type, roleId, secretId, mount }
  }
  const fields = fieldsOf(value, { role: true, mount: true, token_file: true }, '{ role: trivium }')
  const role = fields?.required('role', readText)
  const mount = fields?.optional('mount', readText, 'kubernetes') ?? ''
  const tokenFile = fields?.optional('token_file', readPath, SERVICE_ACCOUNT) ?? ''
  return role === undefined ? undefined : { type: 'kubernetes', role, mount, tokenFile }
}

/** A star alone would name everything on the machine. */
function readAllowed(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || /^(vault|env|file):[^*{}\s][^*{}\n]*\*?$/.test(text)) return text
  const expected = 'write vault:PATH, env:NAME or file:PATH; a * may be its end'
  addMistake(value, `${quoteSource(value)} does not name secrets; ${expected}`)
  return undefined
}
