// The deployments of LiteLLM, from its file and its database, decrypted and with their credentials.
import type { Findings } from '../findings.ts'
import { booleanOf, isObject, type JsonObject, objectOf, textOf } from '../sources/fields.ts'
import type { SourceDatabase } from '../sources/source-database.ts'
import type { LitellmConfig } from './config.ts'
import type { Decrypt } from './decrypt.ts'
import { type Report, reportFields } from './known.ts'

export type Deployment = { name: string; from: string; params: JsonObject; info: JsonObject; blocked: boolean }
export type Reading = { decrypt: Decrypt; findings: Findings; report: Report }

export async function readDeployments(
  source: SourceDatabase,
  config: LitellmConfig,
  { decrypt, findings, report }: Reading,
): Promise<Deployment[]> {
  const open = (values: JsonObject, place: string): JsonObject =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? decrypt(value, `${place}, ${name},`) : value,
      ]),
    )
  const credentials = new Map<string, JsonObject>()
  for await (const row of source.rows('LiteLLM_CredentialsTable', ['credential_name'])) {
    const name = textOf(row.credential_name) ?? ''
    report('LiteLLM_CredentialsTable', row, name)
    credentials.set(name, open(objectOf(row.credential_values) ?? {}, `LiteLLM_CredentialsTable ${name}`))
  }
  for (const { credential_name, credential_values } of config.credentials) {
    if (isObject(credential_values)) credentials.set(String(credential_name), credential_values)
  }

  function made(name: string, from: string, written: JsonObject, info: JsonObject, blocked: boolean): Deployment {
    const named = written.litellm_credential_name
    const credential = credentials.get(String(named))
    if (named !== undefined && !credential)
      findings.add(
        `${from} litellm_credential_name`,
        'manual',
        'There is no such credential: set the keys of the upstream.',
      )
    const params = config.expand({ ...credential, ...written })
    reportFields(findings, 'parameters', 'litellm_params', config.expand(written), from)
    reportFields(findings, 'facts', 'model_info', info, from)
    return { name, from, params, info, blocked: blocked || info.blocked === true }
  }

  const found: Deployment[] = []
  for (const [at, { model_name, litellm_params, model_info }] of config.deployments.entries()) {
    const from = `config.yaml model_list[${at}]`
    if (typeof model_name !== 'string' || !isObject(litellm_params))
      findings.add(from, 'manual', 'This entry has no model_name or no litellm_params.')
    else found.push(made(model_name, from, litellm_params, isObject(model_info) ? model_info : {}, false))
  }
  for await (const row of source.rows('LiteLLM_ProxyModelTable', ['model_id'])) {
    const from = `LiteLLM_ProxyModelTable ${textOf(row.model_id)}`
    report('LiteLLM_ProxyModelTable', row, textOf(row.model_id) ?? '')
    const params = objectOf(row.litellm_params)
    if (!params) findings.add(from, 'manual', 'The parameters of this row cannot be read.')
    else {
      const info = { id: textOf(row.model_id) ?? '', ...objectOf(row.model_info) }
      found.push(made(textOf(row.model_name) ?? '', from, open(params, from), info, booleanOf(row.blocked) ?? false))
    }
  }
  return found
}
