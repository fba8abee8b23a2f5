// Where the sandbox listens, and which dialect is spoken there.
import { chat } from './chat/index.ts'
import type { SandboxDialect } from './dialect.ts'
import { generateContent } from './generate-content/index.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'

/** Everything the sandbox serves. `{model}` stands for a model's name, with or without fault switches. */
export const SANDBOX_PATHS = [
  'POST /v1/chat/completions',
  'POST /v1/responses',
  'POST /v1/messages',
  'POST /v1beta/models/{model}:generateContent',
  'POST /v1beta/models/{model}:streamGenerateContent',
  'GET /v1/models',
  'GET /v1beta/models',
  'GET /health',
] as const

export type SandboxPath = (typeof SANDBOX_PATHS)[number]

/** The entry of the list that a request matches, if there is one. */
export function pathOf(method: string, pathname: string): SandboxPath | undefined {
  const route = `${method} ${pathname}`
  return SANDBOX_PATHS.find((path) => {
    const [before = '', after] = path.split('{model}')
    if (after === undefined) return route === path
    return route.startsWith(before) && route.endsWith(after) && route.length > before.length + after.length
  })
}

/** Also for paths that are not served: an error must have a form that the caller understands. */
export function dialectOf(pathname: string): SandboxDialect {
  if (pathname.startsWith('/v1beta/')) return generateContent
  if (/^\/v1\/messages(?:\/|$)/.test(pathname)) return messages
  return /^\/v1\/responses(?:\/|$)/.test(pathname) ? responses : chat
}
