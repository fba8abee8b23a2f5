// Upstreams of the configuration in force, by their id.
import type { FileConfig, Upstream } from '../../config/types.ts'
import { text } from '../../request/schema/schema.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { rejected } from '../rejections.ts'

export const UPSTREAM_ID = text({ min: 0, max: 200 })

export function configuredUpstream({ upstreams }: Pick<FileConfig, 'upstreams'>, id: string): Upstream {
  const upstream = upstreams.get(id)
  if (upstream) return upstream
  const guess = closestMatch(id, upstreams.keys())
  const hint = guess ? `did you mean ${guess}?` : `available: ${[...upstreams.keys()].join(', ')}`
  throw rejected('unknown_upstream', { upstream: id, hint })
}
