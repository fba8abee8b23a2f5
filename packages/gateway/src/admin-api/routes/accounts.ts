// Accounts, their credit, limits and people, and the keys of all accounts.

import { createAccount } from '../../administration/accounts/create.ts'
import { addNote, deleteNote, listNotes } from '../../administration/accounts/notes.ts'
import * as accounts from '../../administration/accounts.ts'
import { changeAccounts } from '../../administration/bulk/accounts.ts'
import { changeKeys } from '../../administration/bulk/keys.ts'
import { creditAccount } from '../../administration/credits.ts'
import * as keys from '../../administration/keys.ts'
import { createSignInLink, listMembers, removeSecondFactor, setMember } from '../../administration/people/people.ts'
import { endSessions, listSessions } from '../../administration/people/sessions.ts'
import { showStatement } from '../../administration/reports/statement.ts'
import {
  ACCOUNT_SHOWN,
  BULK_RESULT,
  MEMBERS_SHOWN,
  NEW_ACCOUNT,
  NOTES_SHOWN,
  SECOND_FACTOR,
  SESSIONS_SHOWN,
  SIGN_IN_LINK,
  STATEMENT,
} from '../../administration/resources/accounts.ts'
import { NEW_OPERATORS_KEY, OPERATORS_KEY } from '../../administration/resources/keys.ts'
import type { AdminRoutes } from './route.ts'

export const ACCOUNT_ROUTES = {
  'GET accounts': {
    operation: accounts.listAccounts,
    summary: 'Lists accounts, oldest first unless another order is given',
    output: ACCOUNT_SHOWN,
    list: true,
    csv: true,
  },
  'POST accounts': {
    operation: createAccount,
    summary: 'Creates an account, of a person or of none, with terms, a key and a sign-in link if wanted',
    output: NEW_ACCOUNT,
    status: 201,
    example: {
      body: {
        email: 'ada@example.com',
        credit_usd: '0',
        credit_line_usd: 'unlimited',
        cap_usd: '50',
        cap_period: 'month',
        key: 'laptop',
        link: true,
      },
    },
  },
  'POST accounts/bulk': {
    operation: changeAccounts,
    summary: 'Changes up to 200 accounts in the same way; a dry run says how many would change',
    output: BULK_RESULT,
    reference: 'id',
    example: { body: { accounts: ['1', '2'], act: 'limit', terms: { limits: { rpm: 600 } } } },
  },
  'GET accounts/{account}': { operation: accounts.showAccount, summary: 'Shows an account', output: ACCOUNT_SHOWN },
  'PATCH accounts/{account}': {
    operation: accounts.editAccount,
    summary: 'Changes the name and the credit line of an account',
    output: ACCOUNT_SHOWN,
    example: { body: { name: 'Acme', credit_line_usd: '500' } },
  },
  'DELETE accounts/{account}': {
    operation: accounts.deleteAccount,
    summary: 'Erases an account; what it paid stays in the ledger',
    output: ACCOUNT_SHOWN,
  },
  'POST accounts/{account}/disable': {
    operation: accounts.disableAccount,
    summary: 'Disables an account: its keys are rejected, its people can only read',
    output: ACCOUNT_SHOWN,
  },
  'POST accounts/{account}/enable': {
    operation: accounts.enableAccount,
    summary: 'Enables an account again',
    output: ACCOUNT_SHOWN,
  },
  'POST accounts/{account}/credits': {
    operation: creditAccount,
    summary:
      'Adds credit to an account, or removes it; repeated with the same Idempotency-Key or id, it is booked once',
    output: ACCOUNT_SHOWN,
    reference: 'id',
    example: { body: { amount_usd: '10', reason: 'invoice 42' } },
  },
  'PATCH accounts/{account}/limits': {
    operation: accounts.limitAccount,
    summary: 'Changes the cap and the rate limits of an account',
    output: ACCOUNT_SHOWN,
    example: { body: { cap_usd: '500', cap_period: 'month', limits: { rpm: 600 } } },
  },
  'GET accounts/{account}/statements/{month}': {
    operation: showStatement,
    summary: 'Shows the statement of a month, such as 2026-01: balances, entries, and charges by model',
    output: STATEMENT,
  },
  'GET accounts/{account}/notes': {
    operation: listNotes,
    summary: 'Lists the notes that operators made on an account, newest first',
    output: NOTES_SHOWN,
  },
  'POST accounts/{account}/notes': {
    operation: addNote,
    summary: 'Adds a note to an account, which its holder does not see',
    output: NOTES_SHOWN,
    status: 201,
    example: { body: { text: 'Pays by invoice, at the end of the month.' } },
  },
  'DELETE accounts/{account}/notes/{note}': {
    operation: deleteNote,
    summary: 'Deletes a note of an account',
    output: NOTES_SHOWN,
  },
  'GET accounts/{account}/members': {
    operation: listMembers,
    summary: 'Lists the people of an account with their caps',
    output: MEMBERS_SHOWN,
  },
  'POST accounts/{account}/members': {
    operation: setMember,
    summary: 'Adds a person to an account, changes their role or cap, or removes them',
    output: MEMBERS_SHOWN,
    example: { body: { email: 'bob@example.com', role: 'member', cap_usd: '50' } },
  },
  'POST accounts/{account}/sign-in-link': {
    operation: createSignInLink,
    summary: 'Creates a one-time sign-in link for a person',
    output: SIGN_IN_LINK,
    changesPerson: true,
    status: 201,
  },
  'GET accounts/{account}/sessions': {
    operation: listSessions,
    summary: 'Lists the sessions of a person',
    output: SESSIONS_SHOWN,
  },
  'DELETE accounts/{account}/sessions': {
    operation: endSessions,
    summary: 'Signs a person out everywhere',
    output: SESSIONS_SHOWN,
  },
  'POST accounts/{account}/remove-second-factor': {
    operation: removeSecondFactor,
    summary: "Turns off a person's two-factor authentication, and ends all sessions",
    output: SECOND_FACTOR,
    changesPerson: true,
  },

  'GET keys': {
    operation: keys.listKeys,
    summary: 'Lists keys, newest first',
    output: OPERATORS_KEY,
    list: true,
    csv: true,
  },
  'POST keys': {
    operation: keys.createKey,
    summary: 'Creates a key; its secret is shown once',
    output: NEW_OPERATORS_KEY,
    resource: 'key',
    status: 201,
    example: { body: { account: 'ada@example.com', name: 'laptop', cap_usd: '20', cap_period: 'month' } },
  },
  'POST keys/bulk': {
    operation: changeKeys,
    summary: 'Changes or deletes up to 200 keys; a dry run says how many would change',
    output: BULK_RESULT,
    example: { body: { keys: ['1', '2'], act: 'edit', terms: { cap_usd: '20', cap_period: 'month' } } },
  },
  'GET keys/{key}': { operation: keys.showKey, summary: 'Shows a key', output: OPERATORS_KEY },
  'PATCH keys/{key}': {
    operation: keys.limitKey,
    summary: 'Changes a key',
    output: OPERATORS_KEY,
    example: { body: { cap_usd: '20', limits: { rpm: 60 } } },
  },
  'POST keys/{key}/rotate': {
    operation: keys.rotateKey,
    summary: 'Rotates a key: creates a new secret, which is shown once',
    output: NEW_OPERATORS_KEY,
    resource: 'key',
    example: { body: { grace_seconds: 3600 } },
  },
  'DELETE keys/{key}': { operation: keys.deleteKey, summary: 'Deletes a key', output: OPERATORS_KEY },
} as const satisfies AdminRoutes
