// config.yaml, and the settings that LiteLLM keeps in its database. Where both have one, the file wins, as it does there.
import { parse } from 'yaml'
import type { Findings } from '../findings.ts'
import { isObject, type Json, type JsonObject, objectOf, textOf } from '../sources/fields.ts'
import { type SourceDatabase, SourceError } from '../sources/source-database.ts'
import type { Decrypt } from './decrypt.ts'
import { type Report, reportFields } from './known.ts'

export type Environment = Readonly<Record<string, string | undefined>>
export type LitellmConfig = {
  deployments: readonly JsonObject[]
  credentials: readonly JsonObject[]
  router: JsonObject
  litellm: JsonObject
  general: JsonObject
  /** Texts as a file of ours has them: `os.environ/NAME` is `${NAME}`, or what the configuration itself says the variable is. */
  expand<T extends Json>(value: T): T
}

const LARGEST_FILE = 8 * 1024 * 1024
const SECTIONS = ['general_settings', 'litellm_settings', 'router_settings'] as const
const VARIABLE = /^os\.environ\/(.+)$/

export async function readConfig(
  source: SourceDatabase,
  file: string | undefined,
  { decrypt, findings, report }: { decrypt: Decrypt; findings: Findings; report: Report },
): Promise<LitellmConfig> {
  const written = file === undefined ? {} : parseFile(file)
  const stored: Record<string, JsonObject> = {}
  for await (const row of source.rows('LiteLLM_Config', ['param_name'])) {
    const name = textOf(row.param_name) ?? ''
    report('LiteLLM_Config', row, name)
    stored[name] = objectOf(row.param_value) ?? {}
  }
  const variables = { ...decrypted(stored.environment_variables, decrypt), ...inside(written, 'environment_variables') }
  const [general, litellm, router] = SECTIONS.map((name) =>
    join(name, inside(written, name), stored[name] ?? {}, findings),
  )
  reportFields(findings, 'settings', 'config.yaml', written)
  for (const [at, values] of [general, litellm, router].entries())
    reportFields(findings, 'settings', SECTIONS[at] ?? '', values ?? {})

  const used = new Set<string>()
  function text(value: string): string {
    const name = VARIABLE.exec(value)?.[1]
    if (name === undefined) return value.replaceAll('${', '$${')
    const own = variables[name]
    if (typeof own !== 'string' || used.size > Object.keys(variables).length) return `\${${name}}`
    used.add(name)
    return VARIABLE.test(own) ? `\${${VARIABLE.exec(own)?.[1]}}` : text(own)
  }
  const expand = <T extends Json>(value: T): T => {
    if (typeof value === 'string') return text(value) as T
    if (Array.isArray(value)) return value.map((each) => expand(each as Json)) as unknown as T
    return isObject(value)
      ? (Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expand(each)])) as T)
      : value
  }
  for (const name of Object.keys(variables)) {
    const says = 'Upstreams get what it says; for anything else set it in the environment of the gateway.'
    findings.add(`environment_variables.${name}`, 'approximate', says)
  }
  return {
    deployments: objectsIn(written.model_list, 'model_list', findings),
    credentials: objectsIn(written.credential_list, 'credential_list', findings),
    router: router ?? {},
    litellm: litellm ?? {},
    general: general ?? {},
    expand,
  }
}

function parseFile(text: string): JsonObject {
  if (text.length > LARGEST_FILE) throw new SourceError('The configuration file of LiteLLM is larger than 8 MiB.')
  try {
    const value: unknown = parse(text, { maxAliasCount: 100, logLevel: 'silent' })
    if (isObject(value)) return value
  } catch (error) {
    // The message quotes the line, which may have a key.
    const { linePos } = error as { linePos?: readonly { line: number }[] }
    throw new SourceError(
      `The configuration file of LiteLLM is not valid YAML (line ${linePos?.[0]?.line ?? 'unknown'}).`,
    )
  }
  throw new SourceError('The configuration file of LiteLLM has no settings.')
}

const inside = (written: JsonObject, name: string): JsonObject => {
  const value = written[name]
  return isObject(value) ? value : {}
}

const decrypted = (values: JsonObject | undefined, decrypt: Decrypt): JsonObject =>
  Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [
      name,
      typeof value === 'string' ? decrypt(value, `LiteLLM_Config environment_variables.${name}`) : value,
    ]),
  )

function join(section: string, written: JsonObject, stored: JsonObject, findings: Findings): JsonObject {
  for (const [name, value] of Object.entries(stored)) {
    if (name in written && JSON.stringify(written[name]) !== JSON.stringify(value))
      findings.add(`LiteLLM_Config.${section}.${name}`, 'approximate', 'config.yaml has another value, which wins.')
  }
  return { ...stored, ...written }
}

function objectsIn(list: Json | undefined, name: string, findings: Findings): JsonObject[] {
  const items: readonly Json[] = Array.isArray(list) ? list : []
  for (const [at, item] of items.entries()) {
    if (!isObject(item)) findings.add(`config.yaml ${name}[${at}]`, 'manual', 'This entry has another form.')
  }
  return items.filter(isObject)
}
