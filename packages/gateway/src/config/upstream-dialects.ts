import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from './types.ts'

const ALL = Object.keys(DIALECTS) as readonly DialectId[]

/** What an upstream can be asked in. The sandbox speaks every dialect, unless the file names one. */
export function dialectsOf({ embedded, dialect, endpoints, images, videos }: Upstream): readonly DialectId[] {
  if (embedded && dialect === undefined) return ALL
  const spoken: DialectId[] = endpoints.map((endpoint) => endpoint.dialect)
  if (images) spoken.push('images')
  if (videos) spoken.push('video-tasks')
  if (embedded && dialect !== undefined) spoken.push(dialect)
  return [...new Set(spoken)]
}
