// Takes over the switches of upstreams from the store: before the first request, after each change, and after an act of this process.
import type { FileConfig } from '../../config/types.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Health } from './health.ts'

export async function followSwitches(
  { upstreams }: Pick<Storage, 'upstreams'>,
  health: Health,
  config: Pick<FileConfig, 'upstreams'>,
): Promise<void> {
  health.setSwitches(await upstreams.switches(), config.upstreams)
}
