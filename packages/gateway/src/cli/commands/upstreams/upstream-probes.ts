// Probes whether upstreams are reachable and accept their keys: concurrently, without cost, and each for a few
// seconds at most.

import type { CloudEnvironment } from '../../../config/settings/cloud-variables.ts'
import type { FileConfig } from '../../../config/types.ts'
import { ownSend } from '../../../operate/upstreams/test.ts'
import { type Probe, probeUpstream } from '../../../upstreams/diagnostics/probe-upstream.ts'

/** By the upstream's id. `clouds`: the variables that credentials may come from. */
export async function probeAll(
  { upstreams }: Pick<FileConfig, 'upstreams'>,
  clouds: CloudEnvironment,
): Promise<Record<string, Probe[]>> {
  const send = ownSend(clouds)
  const probed = [...upstreams.values()].map(async (one) => [one.id, await probeUpstream(send, one)] as const)
  return Object.fromEntries(await Promise.all(probed))
}
