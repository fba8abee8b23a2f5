// The routes that the sandbox serves, and the dialect of each path.
import { dialectBelow, ROUTES, type RouteId } from '@trivium/protocol/routes.ts'
import { chat } from './dialects/chat/index.ts'
import type { SandboxDialect } from './dialects/dialect.ts'
import { generateContent } from './dialects/generate-content/index.ts'
import { messages } from './dialects/messages/index.ts'
import { responses } from './dialects/responses/index.ts'
import { ENDPOINT_IDS } from './endpoints.ts'
import { images } from './images/generations.ts'
import { errorBody } from './video/error.ts'

const SERVED = [
  ...(['chat', 'responses', 'messages', 'generate-content', 'stream-generate-content'] as const),
  ...(['completions', 'beta-completions', 'fim-completions'] as const),
  ...(['messages-count-tokens', 'generate-content-count-tokens', 'responses-count-tokens'] as const),
  ...(['image-generations', 'image-edits'] as const),
  ...(['create-video-task', 'list-video-tasks', 'show-video-task', 'delete-video-task'] as const),
  ...ENDPOINT_IDS,
] satisfies readonly RouteId[]

/** What only upstreams serve. */
const OWN = {
  'predict-long-running': 'POST /v1beta/models/{model}:predictLongRunning',
  'show-operation': 'GET /v1beta/models/sandbox-video/operations/{operation}',
  'download-file': 'GET /v1beta/files/{file}:download',
} as const

export type SandboxRoute = (typeof SERVED)[number] | keyof typeof OWN

/** `{model}` stands for a model's name, with or without fault switches. */
export const SANDBOX_PATHS: readonly [id: SandboxRoute, path: string][] = [
  ...SERVED.map((id) => [id, `${ROUTES[id].method} ${ROUTES[id].path}`] as [SandboxRoute, string]),
  ...(Object.entries(OWN) as [SandboxRoute, string][]),
]

export type FoundRoute = { route: SandboxRoute; parameter: string }

/** The route that a request matches, if there is one, and its parameter; '' without one. */
export function routeOf(method: string, pathname: string): FoundRoute | undefined {
  const asked = `${method} ${pathname}`
  for (const [route, path] of SANDBOX_PATHS) {
    const [before = '', after] = path.split(/\{\w+\}/)
    if (after === undefined && asked === path) return { route, parameter: '' }
    if (after === undefined || asked.length <= before.length + after.length) continue
    if (!asked.startsWith(before) || !asked.endsWith(after)) continue
    return { route, parameter: decoded(asked.slice(before.length, asked.length - after.length)) }
  }
  return undefined
}

function decoded(parameter: string): string {
  try {
    return decodeURIComponent(parameter)
  } catch {
    return parameter
  }
}

const DIALECTS = { messages, responses, 'generate-content': generateContent, images } as const

export function dialectOf(pathname: string): SandboxDialect {
  const id = dialectBelow(pathname) ?? 'chat'
  return id in DIALECTS ? DIALECTS[id as keyof typeof DIALECTS] : chat
}

/** Also for paths that are not served: an error must have a form that the client can read. */
export const errorFormOf = (pathname: string): Pick<SandboxDialect, 'errorBody'> =>
  dialectBelow(pathname) === 'video-tasks' ? { errorBody } : dialectOf(pathname)
