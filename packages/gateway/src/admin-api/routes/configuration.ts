// Settings, the whole configuration as a file, and the revisions of everything that is stored.
import { listEntries } from '../../administration/configuration/all-entries.ts'
import { exportConfiguration, importConfiguration } from '../../administration/configuration/exchange.ts'
import { listRevisions, restoreRevision, showRevision } from '../../administration/configuration/revisions.ts'
import { changeSettings, showSettings } from '../../administration/configuration/settings.ts'
import {
  ENTRY,
  EXPORTED,
  IMPORTED,
  REVISION,
  REVISION_SHOWN,
  SETTINGS,
} from '../../administration/resources/configuration.ts'
import type { AdminRoutes } from './route.ts'

export const CONFIGURATION_ROUTES = {
  'GET settings': {
    operation: showSettings,
    summary: 'Shows all settings with their defaults, what is written, and where',
    output: SETTINGS,
  },
  'PATCH settings': {
    operation: changeSettings,
    summary: 'Changes stored settings; null removes one',
    output: SETTINGS,
    example: { body: { registration: { trial_credit: '5' }, console: { name: 'Our gateway' } } },
  },
  'GET configuration/entries': {
    operation: listEntries,
    summary: 'Lists all entries and written settings with their source',
    output: ENTRY,
    list: true,
  },
  'GET configuration/export': {
    operation: exportConfiguration,
    summary: 'Writes everything in force as the text of a configuration file, with placeholders for secrets',
    output: EXPORTED,
  },
  'POST configuration/import': {
    operation: importConfiguration,
    summary: 'Stores entries, or those of the text of a file, as one revision',
    output: IMPORTED,
    status: 201,
    example: { body: { entries: [{ kind: 'setting', id: 'console.name', value: 'Our gateway' }] } },
  },
  'GET configuration/revisions': {
    operation: listRevisions,
    summary: 'Lists the revisions of the stored configuration',
    output: REVISION,
    list: true,
  },
  'GET configuration/revisions/{revision}': {
    operation: showRevision,
    summary: 'Shows a revision with what it changed, or what differs from another one',
    example: { query: 'compare=0' },
    output: REVISION_SHOWN,
  },
  'POST configuration/revisions/{revision}/restore': {
    operation: restoreRevision,
    summary: 'Restores the stored configuration of a revision, as one more revision',
    output: REVISION_SHOWN,
    example: { body: { reason: 'the new price was wrong' } },
  },
} as const satisfies AdminRoutes
