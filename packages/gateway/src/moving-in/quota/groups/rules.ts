// What a program says of its groups: what they cost, and who may be in them.
import { type Exact, ONE } from '../exact.ts'
import type { Options } from '../options.ts'

export type GroupRules = {
  /** Groups that have a ratio, or that people may choose. */
  all: readonly string[]
  /** For people of this group; `isOwn`: of this pair alone. */
  ratio(userGroup: string, group: string): { ratio: Exact; isOwn: boolean }
  /** Those that have a ratio for people of another group. */
  pairs: readonly (readonly [userGroup: string, group: string])[]
  /** Those that everybody may choose. */
  offered: readonly string[]
  /** Those that the people of this group may choose, their own included. */
  usable(userGroup: string): readonly string[]
  /** The groups of the group `auto`, in order. None: keys in it are refused. */
  automatic(userGroup: string, own?: readonly string[]): readonly string[]
}

/** Ratios of groups as both programs have them, of whose keys each is in the group of its person. */
export function plainGroups(options: Options, usual: ReadonlyMap<string, Exact>): GroupRules {
  const ratios = options.figures('GroupRatio') ?? usual
  return {
    all: [...ratios.keys()],
    ratio: (_, group) => ({ ratio: ratios.get(group) ?? ONE, isOwn: false }),
    pairs: [],
    offered: [],
    usable: (userGroup) => [userGroup],
    automatic: () => [],
  }
}
