import { expect, test } from 'bun:test'
import type { TaskState } from '../storage/tasks.ts'
import { checkTransition, isEnded, statusIn, TRANSITIONS } from './states.ts'

const STATES = Object.keys(TRANSITIONS) as TaskState[]
const ALLOWED = new Set([
  ...['submitting', 'queued'].map((to) => `accepted ${to}`),
  ...['submitting', 'unknown', 'queued', 'running', 'closing'].map((to) => `submitting ${to}`),
  ...['queued', 'running', 'copying', 'closing'].map((to) => `unknown ${to}`),
  ...['running', 'copying', 'closing'].map((to) => `queued ${to}`),
  ...['copying', 'closing', 'succeeded', 'failed', 'cancelled'].map((to) => `running ${to}`),
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

test.each<[TaskState, 'queued' | 'running', string]>([
  ['accepted', 'queued', 'queued'],
  ['submitting', 'queued', 'queued'],
  ['unknown', 'queued', 'queued'],
  ['queued', 'queued', 'queued'],
  ['queued', 'running', 'running'],
  ['running', 'queued', 'running'],
  ['copying', 'queued', 'running'],
  ['closing', 'queued', 'queued'],
  ['closing', 'running', 'running'],
  ['succeeded', 'running', 'succeeded'],
  ['failed', 'queued', 'failed'],
  ['cancelled', 'queued', 'cancelled'],
  ['expired', 'running', 'expired'],
])('in %s, after %s, clients see %s', (state, status, seen) => {
  expect(String(statusIn(state, { status }))).toBe(seen)
})
