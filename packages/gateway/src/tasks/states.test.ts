import { expect, test } from 'bun:test'
import type { TaskState } from '../storage/tasks.ts'
import { checkTransition, isEnded, statusIn, TRANSITIONS } from './states.ts'

const STATES = Object.keys(TRANSITIONS) as TaskState[]
const ALLOWED = new Set([
  'accepted submitting',
  ...['submitting', 'unknown', 'queued', 'running', 'closing'].map((to) => `submitting ${to}`),
  ...['queued', 'running', 'copying', 'closing'].map((to) => `unknown ${to}`),
  ...['running', 'unknown', 'copying', 'closing'].map((to) => `queued ${to}`),
  ...['unknown', 'copying', 'closing'].map((to) => `running ${to}`),
  'copying closing',
  ...['succeeded', 'failed', 'cancelled', 'expired'].map((to) => `closing ${to}`),
])

test.each(STATES.flatMap((from) => STATES.map((to) => [from, to] as const)))('%s to %s', (from, to) => {
  const check = () => checkTransition(from, to)
  // A task may stay where it is: its next query, its callbacks.
  if (from === to || ALLOWED.has(`${from} ${to}`)) expect(check).not.toThrow()
  else expect(check).toThrow(`from ${from} to ${to}`)
})

test('every way that a task can take ends', () => {
  const ends = (state: TaskState, before: readonly TaskState[]): boolean =>
    isEnded(state) ||
    TRANSITIONS[state].filter((next) => !before.includes(next)).some((next) => ends(next, [...before, state]))
  for (const state of STATES) expect([state, ends(state, [state])]).toEqual([state, true])
})

test.each<[TaskState, 'queued' | 'running', string | undefined, string]>([
  ['accepted', 'queued', undefined, 'queued'],
  ['submitting', 'queued', undefined, 'queued'],
  ['unknown', 'queued', undefined, 'queued'],
  ['unknown', 'queued', 'cgt-1', 'running'],
  ['queued', 'queued', 'cgt-1', 'queued'],
  ['queued', 'running', 'cgt-1', 'running'],
  ['running', 'queued', 'cgt-1', 'running'],
  ['copying', 'queued', 'cgt-1', 'running'],
  ['closing', 'queued', 'cgt-1', 'queued'],
  ['closing', 'running', 'cgt-1', 'running'],
  ['succeeded', 'running', 'cgt-1', 'succeeded'],
  ['failed', 'queued', undefined, 'failed'],
  ['cancelled', 'queued', 'cgt-1', 'cancelled'],
  ['expired', 'running', 'cgt-1', 'expired'],
])('in %s, after %s, with the upstream id %p, clients see %s', (state, status, upstreamTask, seen) => {
  expect(String(statusIn(state, { status, upstreamTask }))).toBe(seen)
})
