// `upstream list`: what there is, what it speaks, and whether its description was ever tried.
import type { FileConfig } from '../config/types.ts'
import { KINDS } from '../upstreams/kinds/index.ts'
import { describe, Report } from './output.ts'

export function listUpstreams({ upstreams }: FileConfig): Report {
  const list = [...upstreams.values()].map(({ id, kind, dialect, speaks, baseUrl, keys, maxConcurrency }) => ({
    ...{ id, kind, dialect, speaks: speaks.map((each) => each.dialect), base_url: baseUrl, keys: keys.length },
    max_concurrency: maxConcurrency ?? null,
    // Of a description that comes with the program; an upstream of one's own has none.
    tried: KINDS.get(kind)?.tried ?? null,
  }))
  return new Report(list, describe(list.map((each) => ({ ...each, speaks: each.speaks.join(',') || null }))))
}
