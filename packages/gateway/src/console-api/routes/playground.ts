// The playground: the gateway's own endpoints, billed to the account's built-in key.
import { KEY } from '../../administration/resources/keys.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

const FORWARDED = {
  policy: 'member',
  summary: "The same request to the gateway's own endpoint, billed to the built-in key",
  output: 'forwarded',
} as const

export const PLAYGROUND_ROUTES = {
  'GET playground/key': { policy: 'member', summary: 'Shows the built-in key', output: KEY },
  'POST playground/{path...}': {
    ...FORWARDED,
    body: 'forwarded',
    example: { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] },
  },
  'GET playground/{path...}': FORWARDED,
  'DELETE playground/{path...}': { ...FORWARDED, status: 204 },
} as const satisfies Record<RouteName, RouteDeclaration>
