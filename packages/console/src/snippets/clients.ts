// Snippets for each client, with the base URL that it needs.

import { curlCode, javascriptCode, javascriptInstall, pythonCode, pythonInstall, sdkBase } from './code.ts'
import { exampleRequest, PROTOCOLS, protocolBase, type Wanted } from './endpoints.ts'
import { shellQuote } from './literals.ts'
import type { Access, ClientId, ExampleRequest, Protocol, Snippet } from './types.ts'

/** Clients with the protocols that they speak, the usual one first. Their names are the same in every language. */
export const CLIENTS: readonly { id: ClientId; name: string; protocols: readonly Protocol[] }[] = [
  { id: 'curl', name: 'curl', protocols: PROTOCOLS },
  { id: 'python', name: 'Python', protocols: PROTOCOLS },
  { id: 'javascript', name: 'JavaScript', protocols: PROTOCOLS },
  { id: 'claude-code', name: 'Claude Code', protocols: ['messages'] },
  { id: 'codex', name: 'Codex', protocols: ['responses'] },
  { id: 'gemini-cli', name: 'Gemini CLI', protocols: ['generate-content'] },
  { id: 'cursor', name: 'Cursor', protocols: ['chat'] },
  { id: 'open-webui', name: 'Open WebUI', protocols: ['chat'] },
]

/** In place of a secret that is not on screen. */
export const PLACEHOLDER = 'sk-...'

/** `prompt`: what the example asks for. */
export type SnippetOptions = Access & {
  client: ClientId
  protocol: Protocol
  model: string
  prompt: string
  wanted?: Wanted
}

export function snippetFor({ client, protocol, model, prompt, wanted = 'text', ...access }: SnippetOptions): Snippet {
  if (client === 'curl' || client === 'python' || client === 'javascript')
    return requestSnippet(client, exampleRequest(protocol, model, prompt, wanted), access)
  return AGENTS[client](access, model)
}

/** A snippet that sends exactly this request. */
export function requestSnippet(
  client: 'curl' | 'python' | 'javascript',
  request: ExampleRequest,
  access: Access,
): Snippet {
  const { protocol } = request
  if (client === 'curl')
    return {
      baseUrl: protocolBase(protocol, access.baseUrl),
      parts: [{ kind: 'terminal', code: curlCode(request, access) }],
    }
  const [install, code] =
    client === 'python'
      ? [pythonInstall(protocol), pythonCode(request, access)]
      : [javascriptInstall(protocol), javascriptCode(request, access)]
  return {
    baseUrl: sdkBase(protocol, access.baseUrl),
    parts: [...(install === undefined ? [] : [{ kind: 'install' as const, code: install }]), { kind: 'code', code }],
  }
}

type AgentId = Exclude<ClientId, 'curl' | 'python' | 'javascript'>

const AGENTS: Readonly<Record<AgentId, (access: Access, model: string) => Snippet>> = {
  'claude-code': ({ baseUrl, secret }, model) => ({
    baseUrl,
    parts: [
      terminal(
        `export ANTHROPIC_BASE_URL=${word(baseUrl)}`,
        `export ANTHROPIC_API_KEY=${word(secret)}`,
        `export ANTHROPIC_MODEL=${word(model)}`,
        `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${word(model)}`,
        'claude',
      ),
    ],
  }),
  codex: ({ baseUrl, secret }, model) => ({
    baseUrl: `${baseUrl}/v1`,
    parts: [
      {
        kind: 'file',
        path: '~/.codex/config.toml',
        code: [
          `model = ${JSON.stringify(model)}`,
          'model_provider = "gateway"',
          '',
          '[model_providers.gateway]',
          'name = "Gateway"',
          `base_url = ${JSON.stringify(`${baseUrl}/v1`)}`,
          'env_key = "GATEWAY_API_KEY"',
          'wire_api = "responses"',
        ].join('\n'),
      },
      terminal(`export GATEWAY_API_KEY=${word(secret)}`, 'codex'),
    ],
  }),
  'gemini-cli': ({ baseUrl, secret }, model) => ({
    baseUrl,
    parts: [
      {
        kind: 'file',
        path: '~/.gemini/settings.json',
        code: [
          '{',
          '  "security": { "auth": { "selectedType": "gemini-api-key" } },',
          '  "tools": { "exclude": ["google_web_search", "web_fetch"] }',
          '}',
        ].join('\n'),
      },
      terminal(
        `export GOOGLE_GEMINI_BASE_URL=${word(baseUrl)}`,
        `export GEMINI_API_KEY=${word(secret)}`,
        `gemini -m ${word(model)}`,
      ),
    ],
  }),
  cursor: (access, model) => settings('cursor', access, model),
  'open-webui': (access, model) => settings('open-webui', access, model),
}

const terminal = (...lines: readonly string[]) => ({ kind: 'terminal' as const, code: lines.join('\n') })

const word = (text: string): string => (/^[\w:/.@%+,-]+$/.test(text) ? text : shellQuote(text))

function settings(of: 'cursor' | 'open-webui', { baseUrl, secret }: Access, model: string): Snippet {
  const base = `${baseUrl}/v1`
  return { baseUrl: base, parts: [{ kind: 'settings', of, baseUrl: base, secret, model }] }
}

/** Whether only this computer can reach the URL, which matters for clients that call from elsewhere. */
export function isLoopback(baseUrl: string): boolean {
  return /^https?:\/\/(localhost|127\.|\[::1\])/i.test(baseUrl)
}
