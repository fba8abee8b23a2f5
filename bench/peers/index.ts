// All gateways that are measured beside this one.
import { bifrost } from './bifrost.ts'
import { litellm } from './litellm.ts'
import { newApi } from './new-api.ts'
import { nginx } from './nginx.ts'
import type { Peer } from './peer.ts'
import { portkey } from './portkey.ts'
import { trivium } from './trivium.ts'

export const ALL_PEERS: readonly Peer[] = [trivium, nginx, bifrost, newApi, portkey, litellm]
export { isInstalled, PEERS } from './peer.ts'
