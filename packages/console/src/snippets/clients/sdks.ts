// curl and the vendors' SDKs for Python and JavaScript.

import { exampleRequest } from '../endpoints.ts'
import { basePath, PROTOCOLS } from '../protocols.ts'
import { type RequestClient, requestSnippet } from '../request-snippet.ts'
import type { Client, Connection, Protocol, SetUp } from '../types.ts'

const partsBy =
  (client: RequestClient) =>
  ({ protocol, model, prompt, wanted, ...access }: SetUp) =>
    requestSnippet(client, exampleRequest(protocol, model, prompt, wanted), access).parts

/** Protocols of OpenAI's SDKs. */
const OPENAI: readonly Protocol[] = [
  'chat',
  'responses',
  'images',
  'embeddings',
  'speech',
  'transcriptions',
  'moderations',
]

export const CURL: Client = {
  id: 'curl',
  name: 'curl',
  kind: 'sdk',
  anyModel: true,
  connections: PROTOCOLS.map((protocol) => ({
    protocols: [protocol],
    path: basePath(protocol),
    parts: partsBy('curl'),
  })),
}

export const OPENAI_VARIABLES = 'the code, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`'
export const ANTHROPIC_VARIABLES = 'the code, or `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`'
export const GOOGLE_VARIABLES = 'the code, or `GOOGLE_GEMINI_BASE_URL` and `GEMINI_API_KEY`'

const python: Pick<Connection, 'parts'> = { parts: partsBy('python') }

export const PYTHON: Client = {
  id: 'python',
  name: 'Python',
  kind: 'sdk',
  anyModel: true,
  connections: [
    {
      ...python,
      title: 'OpenAI SDK for Python',
      protocols: OPENAI,
      path: '/v1',
      settings: { baseUrl: 'base_url', key: 'api_key', model: 'model', place: OPENAI_VARIABLES },
      tested: { version: 'openai 3.51.0', date: '2026-11-18' },
    },
    {
      ...python,
      title: 'Anthropic SDK for Python',
      protocols: ['messages'],
      path: '',
      settings: { baseUrl: 'base_url', key: 'api_key', model: 'model', place: ANTHROPIC_VARIABLES },
      tested: { version: 'anthropic 2.10.0', date: '2026-11-18' },
    },
    {
      ...python,
      title: 'Google Gen AI SDK for Python',
      protocols: ['generate-content'],
      path: '',
      settings: {
        baseUrl: 'http_options={"base_url": ...}',
        key: 'api_key',
        model: 'model',
        place: GOOGLE_VARIABLES,
      },
      tested: { version: 'google-genai 2.34.0', date: '2026-11-18' },
    },
    { ...python, protocols: ['video-tasks'], path: '/api/v3' },
    { ...python, protocols: ['rerank'], path: '/v1' },
  ],
}

const javascript: Pick<Connection, 'parts'> = { parts: partsBy('javascript') }

export const JAVASCRIPT: Client = {
  id: 'javascript',
  name: 'JavaScript',
  kind: 'sdk',
  anyModel: true,
  connections: [
    {
      ...javascript,
      title: 'OpenAI SDK for JavaScript',
      protocols: OPENAI,
      path: '/v1',
      settings: { baseUrl: 'baseURL', key: 'apiKey', model: 'model', place: OPENAI_VARIABLES },
      tested: { package: 'openai' },
    },
    {
      ...javascript,
      title: 'Anthropic SDK for JavaScript',
      protocols: ['messages'],
      path: '',
      settings: { baseUrl: 'baseURL', key: 'apiKey', model: 'model', place: ANTHROPIC_VARIABLES },
      tested: { package: '@anthropic-ai/sdk' },
    },
    {
      ...javascript,
      title: 'Google Gen AI SDK for JavaScript',
      protocols: ['generate-content'],
      path: '',
      settings: { baseUrl: 'httpOptions.baseUrl', key: 'apiKey', model: 'model', place: GOOGLE_VARIABLES },
      tested: { package: '@google/genai' },
    },
    { ...javascript, protocols: ['video-tasks'], path: '/api/v3' },
    { ...javascript, protocols: ['rerank'], path: '/v1' },
  ],
}
