// Probes whether upstreams are reachable and accept their keys: concurrently, without cost, and each for a few
// seconds at most.

import { createSandbox } from '@trivium/sandbox/handler.ts'
import type { FileConfig } from '../../../config/types.ts'
import { type Probe, probeUpstream } from '../../../upstreams/diagnostics/probe-upstream.ts'
import { createSend } from '../../../upstreams/send.ts'

/** By the upstream's id. */
export async function probeAll({ upstreams }: Pick<FileConfig, 'upstreams'>): Promise<Record<string, Probe[]>> {
  const send = createSend(createSandbox({ faults: false }))
  const probed = [...upstreams.values()].map(async (one) => [one.id, await probeUpstream(send, one)] as const)
  return Object.fromEntries(await Promise.all(probed))
}
