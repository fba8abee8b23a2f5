// Paths by which clients of LiteLLM call the gateway: those of OpenAI without /v1, and its health checks.
import { matchRoute } from '@trivium/protocol/match-route.ts'

const HEALTH: Readonly<Record<string, string>> = {
  '/health/liveliness': '/health',
  '/health/liveness': '/health',
  '/health/readiness': '/ready',
}

/** The path that the gateway serves in its place; others stay as they are. */
export function litellmPath(path: string): string {
  if (matchRoute(path) !== undefined) return path
  const versioned = `/v1${path}`
  return HEALTH[path] ?? (matchRoute(versioned) === undefined ? path : versioned)
}
