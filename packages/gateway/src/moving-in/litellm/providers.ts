// Where a deployment of LiteLLM is called: its upstream here, and the name of its model there.
import { KINDS } from '../../upstreams/kinds/index.ts'
import { isObject, type Json, type JsonObject } from '../sources/fields.ts'

/** `value`: an upstream without its id. `id`: the beginning of it. */
export type Place = { id: string; value: Record<string, unknown>; model: string; says: readonly string[] }

type Provider = { kind: string; variable?: string; keyless?: boolean }
const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { kind: 'openai', variable: 'OPENAI_API_KEY' },
  text_completion_openai: { kind: 'openai', variable: 'OPENAI_API_KEY' },
  anthropic: { kind: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
  gemini: { kind: 'gemini', variable: 'GEMINI_API_KEY' },
  azure: { kind: 'azure-classic', variable: 'AZURE_API_KEY' },
  azure_ai: { kind: 'azure', variable: 'AZURE_AI_API_KEY' },
  bedrock: { kind: 'bedrock' },
  vertex_ai: { kind: 'vertex' },
  deepseek: { kind: 'deepseek', variable: 'DEEPSEEK_API_KEY' },
  mistral: { kind: 'mistral', variable: 'MISTRAL_API_KEY' },
  groq: { kind: 'groq', variable: 'GROQ_API_KEY' },
  xai: { kind: 'xai', variable: 'XAI_API_KEY' },
  moonshot: { kind: 'moonshot', variable: 'MOONSHOT_API_KEY' },
  dashscope: { kind: 'qwen', variable: 'DASHSCOPE_API_KEY' },
  volcengine: { kind: 'ark', variable: 'VOLCENGINE_API_KEY' },
  openrouter: { kind: 'openrouter', variable: 'OPENROUTER_API_KEY' },
  together_ai: { kind: 'together', variable: 'TOGETHERAI_API_KEY' },
  fireworks_ai: { kind: 'fireworks', variable: 'FIREWORKS_API_KEY' },
  cohere: { kind: 'cohere', variable: 'COHERE_API_KEY' },
  cohere_chat: { kind: 'cohere', variable: 'COHERE_API_KEY' },
  voyage: { kind: 'voyage', variable: 'VOYAGE_API_KEY' },
  jina_ai: { kind: 'jina', variable: 'JINA_AI_API_KEY' },
  infinity: { kind: 'infinity', keyless: true },
  ollama: { kind: 'ollama', keyless: true },
  ollama_chat: { kind: 'ollama', keyless: true },
  hosted_vllm: { kind: 'vllm', keyless: true },
  vllm: { kind: 'vllm', keyless: true },
  llamafile: { kind: 'llama-cpp', keyless: true },
  lm_studio: { kind: 'lm-studio', keyless: true },
}

const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

const variable = (name: string): string => `\${${name}}`

/** `provider`: as LiteLLM finds it, by the model's prefix or its name. */
export function splitModel(params: JsonObject): { provider: string; model: string } {
  const model = text(params.model) ?? ''
  const named = text(params.custom_llm_provider)
  const prefix = model.includes('/') ? model.slice(0, model.indexOf('/')) : undefined
  if (named !== undefined) return { provider: named, model: prefix === named ? model.slice(named.length + 1) : model }
  if (prefix !== undefined && (prefix in PROVIDERS || text(params.api_base) === undefined))
    return { provider: prefix, model: model.slice(prefix.length + 1) }
  if (/^claude-/.test(model)) return { provider: 'anthropic', model }
  return { provider: /^gemini-/.test(model) ? 'vertex_ai' : 'openai', model }
}

/** undefined: Trivium has no such vendor. `params`: with its credential, `${NAME}` for variables. */
export function placeOf(params: JsonObject): Place | undefined {
  const { provider, model } = splitModel(params)
  const known = PROVIDERS[provider]
  const base = text(params.api_base)?.replace(/\/+$/, '')
  const says: string[] = []
  const id =
    base === undefined ? provider : `${provider}-${base.replace(/^https?:\/\//, '').replace(/[^A-Za-z0-9]+/g, '-')}`
  const place = (value: Record<string, unknown>, name = model): Place => ({
    id: id.replace(/^[^A-Za-z0-9]+/, '').slice(0, 56),
    model: name,
    says,
    value: { ...value, ...timeouts(params) },
  })
  if (!known) {
    if (base === undefined) return undefined
    says.push(`Vendor ${provider} is called as one of the OpenAI protocol at its api_base: try it.`)
    return place({ dialect: 'chat', base_url: base, keys: [text(params.api_key) ?? 'none'] })
  }
  if (provider === 'azure') return place(azure(params, base, says))
  if (provider === 'bedrock') return bedrock()
  if (provider === 'vertex_ai') {
    const kind = model.startsWith('claude') ? 'vertex-claude' : 'vertex'
    const credentials = isObject(params.vertex_credentials)
      ? JSON.stringify(params.vertex_credentials)
      : text(params.vertex_credentials)
    if (credentials !== undefined && !credentials.trimStart().startsWith('{'))
      says.push(
        'The file with the credential of Google is named in the configuration file only: write the upstream there.',
      )
    const auth = { type: 'google', ...(credentials?.trimStart().startsWith('{') ? { credentials } : {}) }
    const where = { project: text(params.vertex_project), location: text(params.vertex_location) }
    if (base === undefined && where.project === undefined)
      says.push('Its project is that of the environment there: set it at the upstream.')
    return place({ kind, ...(base === undefined ? defined(where) : { base_url: base }), auth })
  }
  const key = text(params.api_key) ?? (known.keyless ? undefined : variable(known.variable ?? ''))
  return place({ ...service(provider, known.kind, base), ...(key === undefined ? {} : { keys: [key] }) })

  function bedrock(): Place {
    const name = model.replace(/^(?:converse|invoke|converse_like)\//, '').replace(/^[a-z]{2}-[a-z]+-\d\//, '')
    const kind = /(?:^|\.)anthropic\./.test(name) ? 'bedrock-invoke' : 'bedrock'
    if (kind === 'bedrock')
      says.push('It is called by the OpenAI protocol of Bedrock, which not every model has: try it.')
    for (const field of ['aws_role_name', 'aws_profile_name', 'aws_web_identity_token'])
      if (text(params[field]) !== undefined)
        says.push(`${field} is set in the configuration file only: write the upstream there.`)
    const region = text(params.aws_region_name) ?? variable('AWS_REGION')
    const auth = defined({
      access_key: text(params.aws_access_key_id),
      secret_key: text(params.aws_secret_access_key),
      session_token: text(params.aws_session_token),
    })
    const token = text(params.api_key)
    return place(
      { kind, region, ...(token === undefined ? { auth: { type: 'aws', ...auth } } : { keys: [token] }) },
      name,
    )
  }
}

const defined = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined))

function azure(params: JsonObject, base: string | undefined, says: string[]): Record<string, unknown> {
  if (base === undefined) says.push('Its resource is that of the environment there: set base_url at the upstream.')
  const isUnified = base?.endsWith('/openai/v1')
  const at = isUnified ? base : `${base?.replace(/\/openai(?:\/.*)?$/, '') ?? variable('AZURE_API_BASE')}/openai`
  const version = text(params.api_version)
  const client = defined({
    tenant: text(params.tenant_id),
    client_id: text(params.client_id),
    client_secret: text(params.client_secret),
  })
  const isEntra = client.client_id !== undefined
  if (text(params.azure_ad_token) !== undefined)
    says.push('Tokens of Entra end: set auth of type entra at the upstream.')
  return {
    kind: isUnified ? 'azure' : 'azure-classic',
    base_url: at,
    ...(isUnified || version === undefined ? {} : { api_version: version }),
    ...(isEntra
      ? { auth: { type: 'entra', ...client } }
      : { keys: [text(params.api_key) ?? variable('AZURE_API_KEY')] }),
  }
}

/** LiteLLM appends other paths to `api_base` than are appended to `base_url` here. */
function service(provider: string, kind: string, base: string | undefined): Record<string, unknown> {
  const described = KINDS.get(kind)
  const isAt = (url: string | undefined) =>
    url !== undefined && base !== undefined && new URL(url).host === hostOf(base)
  if (base === undefined || isAt(described?.baseUrl)) return { kind }
  if (isAt(described?.mainland?.baseUrl)) return { kind, region: 'china' }
  switch (kind) {
    case 'openai':
      return { dialect: 'chat', base_url: base }
    case 'anthropic':
      return { kind, base_url: base.replace(/\/v1(?:\/messages)?$/, '') }
    case 'gemini':
      return { kind, base_url: base.replace(/\/models\/.*$/, '').replace(/(?<!\/v1beta)$/, '/v1beta') }
    case 'ollama':
      return { kind, base_url: `${base.replace(/\/v1$/, '')}/v1` }
  }
  const hasNoSuffix = described?.baseUrlSuffix === ''
  return { kind, base_url: hasNoSuffix && provider !== 'azure_ai' ? base.replace(/\/(?:v1|beta)$/, '') : base }
}

const hostOf = (base: string): string => (URL.canParse(base) ? new URL(base).host : '')

function timeouts(params: JsonObject): Record<string, unknown> {
  const milliseconds = (value: Json | undefined) => {
    const seconds = Number(text(value) ?? Number.NaN)
    return seconds > 0 && seconds < 86_400
      ? Number.isInteger(seconds)
        ? `${seconds}s`
        : `${Math.round(seconds * 1_000)}ms`
      : undefined
  }
  const found = defined({ first_byte: milliseconds(params.stream_timeout), total: milliseconds(params.timeout) })
  return Object.keys(found).length > 0 ? { timeouts: found } : {}
}
