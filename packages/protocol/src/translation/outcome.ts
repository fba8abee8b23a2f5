// What a translated response used, and what was lost on the way.

import type { Usage } from '../canonical/usage.ts'
import type { TranslatedResponse } from './translate-response.ts'
import type { TranslatedStream } from './translate-stream.ts'
import type { Translation } from './translation.ts'

/** What the upstream reported: of a stream, so far. undefined: nothing. */
export function usageOf(response: TranslatedResponse | Pick<TranslatedStream, 'state'>): Usage | undefined {
  if ('state' in response) return response.state.usage
  return response.ok ? response.usage : undefined
}

/** `field` in the client's words, such as `messages.content.cache_control`; `reason`: a `WarningReason`, or `omitted` of a response. */
export type Warning = { field: string; reason: string }

/** What could not be translated: of the request, and of as much of the response as has been translated. */
export function warningsOf({ warnings }: Pick<Translation, 'warnings'>): Warning[] {
  return warnings.map((warning) => {
    const at = warning.lastIndexOf(';')
    return { field: warning.slice(0, at), reason: warning.slice(at + 1) }
  })
}
