// Tables of certifications: what `upstream certify --json` printed for a real server, each in a file of its own. A kind without one was
// never run against its vendor.
import type { UpstreamKind } from '../../config/upstream-kinds.ts'
import type { Row } from '../certification/run.ts'
import llamaServer0c1e570 from './llama-server-0c1e570.json' with { type: 'json' }
import llamaServer0c1e570Embeddings from './llama-server-0c1e570-embeddings.json' with { type: 'json' }
import llamaServer0c1e570Rerank from './llama-server-0c1e570-rerank.json' with { type: 'json' }

/** What is read of a table. `server`: null: the vendor's own service. */
export type Certificate = {
  kind: string
  server: string | null
  /** As in 2026-01-31, UTC. */
  date: string
  trivium: string
  models: readonly { type: string; model: string }[]
  checks: readonly Row[]
}

/** The newest of a kind first. */
export const CERTIFICATES: readonly Certificate[] = (
  [llamaServer0c1e570, llamaServer0c1e570Embeddings, llamaServer0c1e570Rerank] as Certificate[]
).toSorted((one, other) => other.date.localeCompare(one.date))

/** The newest certification of a kind, as people read it; without one, what tests use in place of the vendor. */
export function testedWith({
  kind,
  name,
  testedWith: stand,
}: Pick<UpstreamKind, 'kind' | 'name' | 'testedWith'>): string {
  const newest = CERTIFICATES.find((each) => each.kind === kind)
  return newest ? `${newest.server ?? name}, ${newest.date}` : stand
}
