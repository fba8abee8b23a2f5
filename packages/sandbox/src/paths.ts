// The routes that the sandbox serves, and the dialect of each path.
import { DIALECT_PATHS, ROUTES, type RouteId } from '@trivium/protocol/routes.ts'
import { chat } from './dialects/chat/index.ts'
import type { SandboxDialect } from './dialects/dialect.ts'
import { generateContent } from './dialects/generate-content/index.ts'
import { messages } from './dialects/messages/index.ts'
import { responses } from './dialects/responses/index.ts'
import { images } from './images/generations.ts'

const SERVED = [
  ...(['chat', 'responses', 'messages', 'generate-content', 'stream-generate-content'] as const),
  ...(['image-generations', 'image-edits'] as const),
  ...(['list-models', 'list-generate-content-models', 'health'] as const),
] satisfies readonly RouteId[]

export type SandboxRoute = (typeof SERVED)[number]

/** `{model}` stands for a model's name, with or without fault switches. */
export const SANDBOX_PATHS: readonly [id: SandboxRoute, path: string][] = SERVED.map((id) => [
  id,
  `${ROUTES[id].method} ${ROUTES[id].path}`,
])

/** The route that a request matches, if there is one. */
export function routeOf(method: string, pathname: string): SandboxRoute | undefined {
  const asked = `${method} ${pathname}`
  const found = SANDBOX_PATHS.find(([, path]) => {
    const [before = '', after] = path.split('{model}')
    if (after === undefined) return asked === path
    return asked.startsWith(before) && asked.endsWith(after) && asked.length > before.length + after.length
  })
  return found?.[0]
}

const DIALECTS = { messages, responses, 'generate-content': generateContent, images } as const

/** Also for paths that are not served: an error must have a form that the client can read. */
export function dialectOf(pathname: string): SandboxDialect {
  for (const [id, dialect] of Object.entries(DIALECTS)) {
    const { prefix } = DIALECT_PATHS[id as keyof typeof DIALECTS]
    if (pathname === prefix || pathname.startsWith(`${prefix}/`)) return dialect
  }
  return chat
}
