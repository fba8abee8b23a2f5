// The groups of new-api: keys may have another one than their person, a pair of both may have a ratio of its own, and `auto` is the first of several.

import { ONE } from '../quota/exact.ts'
import { AUTO } from '../quota/groups/plan.ts'
import type { GroupRules } from '../quota/groups/rules.ts'
import { numberOf, type Options } from '../quota/options.ts'
import { isObject } from '../sources/fields.ts'

const USUAL_RATIOS = new Map(['default', 'vip', 'svip'].map((group) => [group, ONE]))
const USUAL_CHOICES = ['default', 'vip']

export function newApiGroups(options: Options): GroupRules {
  const ratios = options.figures('GroupRatio') ?? USUAL_RATIOS
  const pairs = options.object('GroupGroupRatio') ?? {}
  const offered = Object.keys(
    options.object('UserUsableGroups') ?? Object.fromEntries(USUAL_CHOICES.map((each) => [each, ''])),
  )
  const special = options.object('group_ratio_setting.group_special_usable_group') ?? {}
  const auto = options.list('AutoGroups') ?? ['default']

  /** `+:` adds a group, `-:` removes it. */
  const choices = (userGroup: string): string[] => {
    const changes = special[userGroup]
    const found = new Set(offered)
    for (const name of isObject(changes) ? Object.keys(changes) : []) {
      if (name.startsWith('-:')) found.delete(name.slice(2))
      else found.add(name.replace(/^\+:/, ''))
    }
    if (userGroup !== '') found.add(userGroup)
    return [...found]
  }
  const usable = (userGroup: string) => choices(userGroup).filter((group) => group !== AUTO)
  return {
    all: [...new Set([...ratios.keys(), ...offered.filter((group) => group !== AUTO)])],
    ratio(userGroup, group) {
      const own = isObject(pairs[userGroup]) ? numberOf(pairs[userGroup][group]) : undefined
      return own ? { ratio: own, isOwn: true } : { ratio: ratios.get(group) ?? ONE, isOwn: false }
    },
    pairs: Object.entries(pairs).flatMap(([userGroup, groups]) =>
      isObject(groups) ? Object.keys(groups).map((group) => [userGroup, group] as const) : [],
    ),
    offered,
    usable,
    automatic(userGroup, own = auto) {
      const may = choices(userGroup)
      return may.includes(AUTO) ? own.filter((group) => group !== AUTO && may.includes(group)) : []
    },
  }
}
