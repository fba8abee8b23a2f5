// Deployments by path: the name that a route gives stands in the path, and every call says which version of the API it means.

import type { OutgoingRequest } from '../outgoing.ts'
import { bytesOf, type Frame, pathStep } from './framing.ts'

export const deployments: Frame = (outgoing, { apiVersion = '' }) => {
  const { path } = outgoing
  const named = path.includes('{model}') ? path.replace('{model}', () => pathStep(modelOf(outgoing))) : path
  return { sent: { ...outgoing, path: `${named}${named.includes('?') ? '&' : '?'}api-version=${apiVersion}` } }
}

/** Calls that belong to no request have it in their body alone. */
function modelOf(outgoing: OutgoingRequest): string {
  if (outgoing.origin) return outgoing.origin.model
  const text = Buffer.from(bytesOf(outgoing) ?? []).toString()
  if (outgoing.contentType?.startsWith('multipart/')) return /name="model"\r\n\r\n([^\r]*)\r\n/.exec(text)?.[1] ?? ''
  return String((JSON.parse(text) as { model?: unknown }).model ?? '')
}
