// What goes wrong in a world, each of which can be left out to find the cause of a failure.

export const FAULTS = [
  'crash',
  'freeze',
  'replace',
  'outage',
  'rollback',
  'lost',
  'slow',
  'twice',
  'disk',
  'admin',
  'foreign-settle',
  'pause',
] as const
export type Fault = (typeof FAULTS)[number]
