// What is searched, and how deep: `small` in the tests, `full` in `npm run torture`.
import type { Scene } from './world.ts'

export type NamedScene = Scene & { name: string; depth: { small: number; full: number } }

export const SCENES: readonly NamedScene[] = [
  { name: 'one request', by: false, task: false, nodes: [0], depth: { small: 7, full: 14 } },
  { name: 'its hold is lost', by: false, task: false, nodes: [0], holdIsLost: true, depth: { small: 6, full: 13 } },
  { name: 'a request and its repetition', by: true, task: false, nodes: [0, 1], depth: { small: 6, full: 11 } },
  { name: 'a task', by: false, task: true, nodes: [0, 1], depth: { small: 5, full: 7 } },
  { name: 'all of them', by: true, task: true, nodes: [0, 1], depth: { small: 4, full: 6 } },
]
