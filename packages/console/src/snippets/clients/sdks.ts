// curl and the vendors' SDKs for Python and JavaScript, which show a request of any protocol.

import { exampleRequest } from '../endpoints.ts'
import { basePath, PROTOCOLS } from '../protocols.ts'
import { type RequestClient, requestSnippet } from '../request-snippet.ts'
import type { Client, Connection, Protocol, SetUp, Tested } from '../types.ts'
import { VARIABLES } from './read-clients.ts'

const partsBy =
  (client: RequestClient) =>
  ({ protocol, model, prompt, wanted, ...access }: SetUp) =>
    requestSnippet(client, exampleRequest(protocol, model, prompt, wanted), access).parts

const plain = (client: RequestClient, protocols: readonly Protocol[]): Connection[] =>
  protocols.map((protocol) => ({ protocols: [protocol], path: basePath(protocol), parts: partsBy(client) }))

export const CURL: Client = {
  id: 'curl',
  name: 'curl',
  kind: 'sdk',
  anyModel: true,
  connections: plain('curl', PROTOCOLS),
}

/** Protocols of OpenAI's SDKs. */
const OPENAI: readonly Protocol[] = [
  'chat',
  'responses',
  'completions',
  'images',
  'embeddings',
  'speech',
  'transcriptions',
  'moderations',
]
const TITLES = { openai: 'OpenAI SDK', anthropic: 'Anthropic SDK', google: 'Google Gen AI SDK' }

type Sdk = keyof typeof TITLES
/** `names`: what the SDKs call the base URL and the key. */
type Language = { id: RequestClient; name: string; names: readonly [string, string]; googleUrl: string }

function clientOf({ id, name, names, googleUrl }: Language, tested: Readonly<Record<Sdk, Tested>>): Client {
  const [baseUrl, key] = names
  const connection = (sdk: Sdk, protocols: readonly Protocol[], path: string, place: string, url = baseUrl) => ({
    title: `${TITLES[sdk]} for ${name}`,
    protocols,
    path,
    settings: { baseUrl: url, key, model: 'model', place },
    tested: tested[sdk],
    parts: partsBy(id),
  })
  const connections = [
    connection('openai', OPENAI, '/v1', VARIABLES.OPENAI),
    connection('anthropic', ['messages'], '', VARIABLES.ANTHROPIC),
    connection('google', ['generate-content'], '', VARIABLES.GOOGLE, googleUrl),
    ...plain(id, ['video-tasks', 'embed', 'rerank']),
  ]
  return { id, name, kind: 'sdk', anyModel: true, connections }
}

const DATE = '2026-11-18'

export const PYTHON = clientOf(
  { id: 'python', name: 'Python', names: ['base_url', 'api_key'], googleUrl: 'http_options={"base_url": ...}' },
  {
    openai: { version: 'openai 3.51.0', date: DATE },
    anthropic: { version: 'anthropic 2.10.0', date: DATE },
    google: { version: 'google-genai 2.34.0', date: DATE },
  },
)

export const JAVASCRIPT = clientOf(
  { id: 'javascript', name: 'JavaScript', names: ['baseURL', 'apiKey'], googleUrl: 'httpOptions.baseUrl' },
  { openai: { package: 'openai' }, anthropic: { package: '@anthropic-ai/sdk' }, google: { package: '@google/genai' } },
)
