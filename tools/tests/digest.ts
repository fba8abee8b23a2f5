// Reads the output of `bun test` line by line: which files have ended, and what failed and why. Bun has no reporter that tells this while
// tests run. With --parallel the lines of several files alternate, each time below a line with the name of the file.

import { LOST, NOT_RUN } from '../../test/support/gateway/lost.ts'

/** What hooks.ts writes before the name of a file. */
export const ENDED = '[test file ended] '

export type Failure = { file: string; name: string; reason: string }

export type Digest = {
  /** A line without its line break. */
  line(text: string): void
  /** Bun has ended. Without its own summary, or with tests that it counts and that were not seen, that is a failure. */
  end(how: string): Totals
}

/** `notRun`: tests whose gateway had ended before; the test that noticed it is a failure. */
export type Totals = { passed: number; notRun: number; failures: readonly Failure[]; files: ReadonlySet<string> }

export type Listener = { fileEnded(file: string): void; failed(failure: Failure): void }

/** More of a reason is noise: the error is at its end, the log of a gateway before it. */
const MOST_LINES = 60
const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')
const HEADER = /^(\S+\.test\.tsx?):$/
const RESULT = /^\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$/
const CRASH = /^✗ (\S+\.test\.tsx?) \((worker crashed.*)\)$/
const UNHANDLED = /^# Unhandled error/
const RULE = /^-{20,}$/
/** Comes after the line of the test. */
const TIMED_OUT = /^ *\^ (this test timed out.*)$/
const REPEATED = /^\d+ tests? (?:failed|skipped):$/
const COUNT = /^ *(\d+) (pass|fail|error)s?$/

export function openDigest(listener: Listener): Digest {
  const failures: Failure[] = []
  const ended = new Set<string>()
  const counted = { pass: 0, fail: 0, error: 0 }
  let passed = 0
  let notRun = 0
  let file: string | undefined
  /** The last failure, to which the next line may belong. */
  let untold: Failure | undefined
  let said: string[] = []
  /** Between the two lines that enclose an error outside of tests. */
  let rules: number | undefined
  let isSummary = false
  let isComplete = false

  const fail = (name: string, where = file ?? '') => {
    const failure = { file: where, name, reason: said.join('\n').trim() }
    said = []
    const isTold = failures.some((each) => each.file === where && each.reason.includes(LOST))
    if (failure.reason.includes(NOT_RUN) && isTold) {
      notRun += 1
      return
    }
    failures.push(failure)
    untold = failure
  }
  const tell = () => {
    if (untold !== undefined) listener.failed(untold)
    untold = undefined
  }
  const end = (name: string) => {
    if (ended.has(name)) return
    ended.add(name)
    listener.fileEnded(name)
  }
  const say = (text: string) => {
    said.push(text)
    if (said.length > MOST_LINES) said.shift()
  }
  const result = (kind: string, name: string) => {
    if (kind === 'fail') return fail(name)
    if (kind === 'pass') passed += 1
    said = []
  }
  /** What is in an error outside of tests; true: the line belongs to one. */
  const isUnhandled = (text: string): boolean => {
    if (rules === undefined) {
      if (!UNHANDLED.test(text)) return false
      rules = 0
      said = []
      return true
    }
    if (RULE.test(text)) rules += 1
    else say(text)
    if (rules === 2) {
      rules = undefined
      fail('an error outside of tests')
    }
    return true
  }
  const summary = (text: string) => {
    const [, number = '0', kind = ''] = COUNT.exec(text) ?? []
    if (kind !== '') counted[kind as keyof typeof counted] = Number(number)
    if (/^Ran \d+ tests? across \d+ files?/.test(text)) isComplete = true
  }

  return {
    line(raw) {
      const text = raw.replace(COLORS, '')
      const [, timeout] = TIMED_OUT.exec(text) ?? []
      if (timeout !== undefined && untold !== undefined) untold.reason = `${untold.reason}\n${timeout}`.trim()
      tell()
      const marked = text.indexOf(ENDED)
      if (marked >= 0) return end(text.slice(marked + ENDED.length))
      isSummary ||= REPEATED.test(text) || COUNT.test(text)
      if (isSummary) return summary(text)
      if (isUnhandled(text)) return
      const [, header] = HEADER.exec(text) ?? []
      if (header !== undefined) {
        file = header
        said = []
        return
      }
      const [, crashed, how = ''] = CRASH.exec(text) ?? []
      if (crashed !== undefined) {
        fail(how, crashed)
        return end(crashed)
      }
      const [, kind, name = ''] = RESULT.exec(text) ?? []
      if (kind !== undefined) return result(kind, name)
      say(text)
    },
    end(how) {
      if (!isComplete) fail(`bun test ended before its summary (${how})`)
      else if (counted.fail > failures.length + notRun)
        fail(`bun test counts ${counted.fail} failures; their output is missing`)
      tell()
      return { passed: Math.max(passed, counted.pass), notRun, failures, files: ended }
    },
  }
}
