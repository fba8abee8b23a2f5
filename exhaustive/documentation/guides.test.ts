// Runs what the first pages show, and all pages besides those of the larger folders.
import { pagesIn } from '../../test/support/documentation/blocks.ts'
import { testPages } from '../support/documentation/test-pages.ts'

testPages([
  'README.md',
  'README.zh-CN.md',
  ...pagesIn('docs').filter((page) => !/^docs\/(?:use|operate|reference)\//.test(page)),
])
