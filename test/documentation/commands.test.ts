// Commands in the running text of the pages are those of the program, with options that it takes.
import { expect, test } from 'bun:test'
import { parseArguments } from '../../packages/gateway/src/cli/args.ts'
import { checkArguments, flagsOf } from '../../packages/gateway/src/cli/command.ts'
import { COMMANDS } from '../../packages/gateway/src/cli/help.ts'
import { pagesIn, readPage } from '../support/documentation/blocks.ts'

const INLINE = /(?<!`)`trivium ([a-z][^`]*)`(?!`)/g

/** What is wrong with a command line; undefined: nothing. */
function mistakeIn(text: string): string | undefined {
  const words = text.replace(/\s+/g, ' ').split(' ')
  const length = [3, 2, 1].find((count) => COMMANDS.has(words.slice(0, count).join(' ')))
  const command = COMMANDS.get(words.slice(0, length ?? 0).join(' '))
  if (!command) return 'there is no such command'
  const args = words.slice(length)
  // The name alone says which command is meant, if it needs nothing that the reader would have to guess.
  if (args.length === 0 && !command.options.some(({ required }) => required)) return undefined
  try {
    checkArguments(command, parseArguments(args, { ...flagsOf(command), json: 'flag', 'dry-run': 'flag' }))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test('commands in sentences and tables can be run as they stand', () => {
  // These list commands by name.
  const pages = pagesIn('docs').filter((page) => !/reference\/(?:command-line|database)\.md$/.test(page))
  const wrong = pages.flatMap((page) =>
    [...readPage(page).matchAll(INLINE)].flatMap(([, text = '']) => {
      const mistake = mistakeIn(text)
      return mistake === undefined ? [] : [`${page}: trivium ${text}: ${mistake}`]
    }),
  )
  expect(wrong).toEqual([])
})
