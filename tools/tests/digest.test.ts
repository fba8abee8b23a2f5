import { expect, test } from 'bun:test'
import { ENDED, type Failure, openDigest } from './digest.ts'

function digested(output: string, how = 'exit code 1') {
  const ended: string[] = []
  const told: Failure[] = []
  const digest = openDigest({ fileEnded: (file) => ended.push(file), failed: (failure) => told.push(failure) })
  for (const line of output.split('\n')) digest.line(line)
  const { passed, notRun, failures, files } = digest.end(how)
  expect(ended).toEqual([...files])
  expect(told).toEqual([...failures])
  return { passed, notRun, failures, ended }
}

const SUMMARY = (pass: number, fail: number) => `
 ${pass} pass
 ${fail} fail
 4 expect() calls
Ran ${pass + fail} tests across 2 files. [1.84s]`

test('tests that pass say nothing, and files count once they have ended, in whatever order', () => {
  const output = `
test/a.test.ts:
something that the test prints
(pass) one [300.67ms]

test/b.test.tsx:
(pass) one

test/a.test.ts:
(skip) two
${ENDED}test/b.test.tsx
(pass) three > of \`a\` [1.2s]
${ENDED}test/a.test.ts
${SUMMARY(3, 0)}`
  expect(digested(output, 'exit code 0')).toEqual({
    passed: 3,
    notRun: 0,
    failures: [],
    ended: ['test/b.test.tsx', 'test/a.test.ts'],
  })
})

test('a failure has its file, its name and what was written since the test before; repetitions at the end do not count', () => {
  const output = `
test/b.test.ts:
(pass) before

test/a.test.ts:
2 | expect(3).not.toBe(3)
\u001b[31merror\u001b[0m: expect(received).not.toBe(expected)
      at <anonymous> (test/a.test.ts:2:93)
(fail) group > one [903.12ms]
(fail) late [60000.12ms]
  ^ this test timed out after 60000ms.
(pass) two
${ENDED}test/a.test.ts

2 tests failed:
(fail) group > one [903.12ms]
(fail) late [60000.12ms]
  ^ this test timed out after 60000ms.
${SUMMARY(2, 2)}`
  expect(digested(output)).toEqual({
    passed: 2,
    notRun: 0,
    failures: [
      {
        file: 'test/a.test.ts',
        name: 'group > one',
        reason: [
          '2 | expect(3).not.toBe(3)',
          'error: expect(received).not.toBe(expected)',
          '      at <anonymous> (test/a.test.ts:2:93)',
        ].join('\n'),
      },
      { file: 'test/a.test.ts', name: 'late', reason: 'this test timed out after 60000ms.' },
    ],
    ended: ['test/a.test.ts'],
  })
})

test('an error while a file loads, and a worker that crashes, are failures with a reason', () => {
  const output = `
test/a.test.ts:

# Unhandled error between tests
-------------------------------
error: at load
      at test/a.test.ts:1:11
-------------------------------

${ENDED}test/a.test.ts

test/b.test.ts:
(pass) one
✗ test/b.test.ts (worker crashed: SIGKILL)
${SUMMARY(1, 2)}`
  expect(digested(output)).toEqual({
    passed: 1,
    notRun: 0,
    failures: [
      {
        file: 'test/a.test.ts',
        name: 'an error outside of tests',
        reason: 'error: at load\n      at test/a.test.ts:1:11',
      },
      { file: 'test/b.test.ts', name: 'worker crashed: SIGKILL', reason: '' },
    ],
    ended: ['test/a.test.ts', 'test/b.test.ts'],
  })
})

test.each([
  ['no summary', '(pass) one\n', 'bun test ended before its summary (SIGKILL)'],
  [
    'failures that were not seen',
    `(pass) one\n${SUMMARY(1, 2)}`,
    'bun test counts 2 failures; their output is missing',
  ],
])('%s: that is a failure', (_, output, name) => {
  expect(digested(output, 'SIGKILL')).toMatchObject({ passed: 1, failures: [{ name }] })
})
