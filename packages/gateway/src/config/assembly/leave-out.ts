// What an invalid stored entry leaves behind: entries that name it stay in force without it, so that one mistake does not take
// everything down.
import type { AnyModel } from '../../modalities/index.ts'
import { entryKey, type StoredEntry } from '../stored.ts'
import type { FileConfig, Group } from '../types.ts'

type Parts = Pick<FileConfig, 'upstreams' | 'models' | 'groups' | 'tools'>

/** `affected`: the entries that named it, with what they lack now. */
export type Remaining<T> = { config: T; affected: { key: string; warning: string }[] }

/** `config` may name entries that are `leftOut`, and nothing else that does not exist. */
export function leaveOut<T extends Parts>(config: T, leftOut: readonly StoredEntry[]): Remaining<T> {
  const affected: Remaining<T>['affected'] = []
  if (leftOut.length === 0) return { config, affected }
  const note = (kind: 'model' | 'group', id: string, lacks: string) =>
    affected.push({ key: entryKey({ kind, id }), warning: `${kind} ${id} ${lacks}, which is stored and invalid` })

  const models = new Map<string, AnyModel>()
  for (const model of config.models.values()) {
    const routes = (model.routes as AnyModel['routes'][number][]).filter(({ upstream }) =>
      config.upstreams.has(upstream),
    )
    const lost = model.routes.find(({ upstream }) => !config.upstreams.has(upstream))?.upstream
    if (lost !== undefined) note('model', model.id, `has no route to upstream ${lost}`)
    if (routes.length > 0) models.set(model.id, lost === undefined ? model : ({ ...model, routes } as AnyModel))
  }
  const isGone = (id: string): boolean =>
    !models.has(id) && (config.models.has(id) || leftOut.some((entry) => entry.kind === 'model' && entry.id === id))
  for (const model of models.values()) {
    if (!model.fallbacks?.some(isGone)) continue
    note('model', model.id, `has no fallback ${model.fallbacks.find(isGone)}`)
    models.set(model.id, { ...model, fallbacks: model.fallbacks.filter((id) => !isGone(id)) })
  }
  for (const model of models.values()) {
    const { retirement } = model
    if (retirement?.replacedBy === undefined || !isGone(retirement.replacedBy)) continue
    note('model', model.id, `has no replacement ${retirement.replacedBy}`)
    models.set(model.id, { ...model, retirement: { ...retirement, replacedBy: undefined } })
  }
  const groups = new Map<string, Group>()
  for (const group of config.groups.values()) {
    const gone = [...group.models, ...(group.prices?.keys() ?? [])].find(isGone)
    if (gone !== undefined) note('group', group.id, `has no model ${gone}`)
    const prices = new Map([...(group.prices ?? [])].filter(([id]) => !isGone(id)))
    const rest = { ...group, models: group.models.filter((id) => !isGone(id)), ...(group.prices ? { prices } : {}) }
    groups.set(group.id, gone === undefined ? group : rest)
  }
  const { tools, ...others } = config
  const kept = tools && !isGone(tools.imageGeneration?.model ?? '') ? { tools } : {}
  return { config: { ...others, ...kept, models, groups } as unknown as T, affected }
}
