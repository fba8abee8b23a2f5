// Every operation on the stored configuration.
import { listGroups } from '../catalogue/list-groups.ts'
import { listModels } from '../catalogue/list-models.ts'
import { listEntries } from './all-entries.ts'
import { entryOperations } from './entries.ts'
import { exportConfiguration, importConfiguration, unusedEntries } from './exchange.ts'
import { listRevisions, restoreRevision, showRevision } from './revisions.ts'
import { changeSettings, showSettings } from './settings.ts'
import { addUpstreamKey, eraseUpstreamKey, listUpstreamKeys, removeUpstreamKey } from './upstream-keys.ts'

export const upstreams = entryOperations('upstream')
export const models = { ...entryOperations('model'), list: listModels }
export const groups = { ...entryOperations('group'), list: listGroups }

const ofNoun = <O extends object>(operations: O): O[keyof O][] => Object.values(operations) as O[keyof O][]

export const ALL = [
  ...ofNoun(upstreams),
  ...ofNoun(models),
  ...ofNoun(groups),
  listUpstreamKeys,
  addUpstreamKey,
  removeUpstreamKey,
  eraseUpstreamKey,
  listEntries,
  showSettings,
  changeSettings,
  listRevisions,
  showRevision,
  restoreRevision,
  exportConfiguration,
  importConfiguration,
  unusedEntries,
] as const
