// Runs what the pages of docs/use show.
import { pagesIn } from '../../test/support/documentation/blocks.ts'
import { testPages } from '../support/documentation/test-pages.ts'

testPages(pagesIn('docs/use'))
